# the manual names the statistics and the exit statuses
hotdrift bench --help
