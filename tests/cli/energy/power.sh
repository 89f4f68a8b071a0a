# energy computes joules by the trapezoidal rule, mean and peak watts, and the duration
printf 'timestamp_us,watts\n1000000,10\n2000000,20\n3500000,20\n' > p.csv
hotdrift energy p.csv
hotdrift energy --json p.csv
