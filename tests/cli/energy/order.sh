# unsorted samples, samples of one moment and gaps are told and do no harm
printf 'timestamp_us,watts\n3000000,10\n1000000,10\n2000000,10\n2000000,30\n4000000,10\n64000000,10\n' |
	hotdrift energy -
