hotdrift timeline --help
