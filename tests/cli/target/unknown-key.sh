printf '[target a]\nrunn = x\nrun = y\n[section]\nz = 1\n' >hotdrift.ini
hotdrift target 2>&1 | sed "s|$PWD|HERE|"
