# read off the option rows
hotdrift top --help
