# read off the option rows
hotdrift bundle --help
