# numbers have 17 significant digits; missing values are null; keys are escaped
printf 'a,"b""\\c"\n0.1,1\n0.2,\n0.3,5\n' | hotdrift stats --json -
