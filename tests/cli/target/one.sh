cat >hotdrift.ini <<'END'
[target a]
build = make x=1 ; true
run = printf "\033[31m"
  next line
frequency = 99
modes = cpu, gpu
END
hotdrift target a | sed "s|$PWD|HERE|"
