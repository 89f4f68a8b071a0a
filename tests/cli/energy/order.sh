# unsorted samples, samples with equal times and gaps are reported, and the result is still correct
printf 'timestamp_us,watts\n3000000,10\n1000000,10\n2000000,10\n2000000,30\n4000000,10\n64000000,10\n' |
	hotdrift energy -
