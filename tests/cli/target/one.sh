printf '[target a]\nbuild = make x=1 ; true\nrun = printf "\\033[31m"\n  next line\nfrequency = 99\nmodes = cpu, gpu\n' >hotdrift.ini
hotdrift target a | sed "s|$PWD|HERE|"
