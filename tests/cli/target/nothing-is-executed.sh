printf '[target a]\nbuild = touch built\nrun = touch ran\nconfig = $(touch expanded)\n' >hotdrift.ini
hotdrift target -0 a >/dev/null
ls
