printf '[target a]\nrun = x\n[target b]\nrun = x\n' >the.ini
hotdrift target --file the.ini c 2>&1 | sed "s|$PWD|HERE|"
hotdrift target --file the.ini c 2>/dev/null
