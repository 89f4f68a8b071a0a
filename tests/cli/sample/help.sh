hotdrift sample --help
