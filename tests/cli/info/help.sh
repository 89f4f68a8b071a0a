# read off the option rows
hotdrift info --help
