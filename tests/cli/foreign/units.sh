# events have the same units after they were written as text of perf script and as callgrind
cat >text <<'END'
app 10/10 1.000000:     2000000 wall: 
	            1000 main+0x10 (/usr/bin/app)

app 10/10 2.000000:     3000000 cpu-clock:u: 
	            1000 main+0x10 (/usr/bin/app)

app 10/10 3.000000:     4096 allocated: 
	            1000 main+0x10 (/usr/bin/app)

END
hotdrift top text | grep '1 sample,'
hotdrift convert text --to callgrind -o out
hotdrift top out | grep '1 sample,'
