# read off the option rows
hotdrift flame --help
