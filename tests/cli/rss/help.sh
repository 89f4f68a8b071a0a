hotdrift rss --help
