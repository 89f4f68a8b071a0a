# read off the option rows
hotdrift fold --help
