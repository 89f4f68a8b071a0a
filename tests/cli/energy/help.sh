# read off the option rows
hotdrift energy --help
