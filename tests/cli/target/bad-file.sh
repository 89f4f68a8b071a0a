printf '[target a]\nrun = x\nrun = y\n' >hotdrift.ini
hotdrift target 2>&1 | sed "s|$PWD|HERE|"
hotdrift target 2>/dev/null
