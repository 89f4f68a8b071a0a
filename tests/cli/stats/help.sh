# read off the option rows
hotdrift stats --help
