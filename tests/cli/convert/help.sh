hotdrift convert --help
