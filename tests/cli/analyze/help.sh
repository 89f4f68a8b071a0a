hotdrift analyze --help
