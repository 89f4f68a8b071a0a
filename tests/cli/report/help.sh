# read off the option rows
hotdrift report --help
