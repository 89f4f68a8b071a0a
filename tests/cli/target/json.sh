printf '[target a]\nrun = echo "é" \\ \nevent = cycles:u\n[target b]\nrun = x\n' >hotdrift.ini
hotdrift target --json | sed "s|$PWD|HERE|"
