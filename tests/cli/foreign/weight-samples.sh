# --weight samples: counts of folded stacks are samples; formats without the number of samples are refused
printf 'main;a 10\nmain;b 5\n' >text.folded
hotdrift fold --weight samples text.folded
for format in speedscope callgrind; do
	hotdrift convert text.folded --to $format -o out.$format
	hotdrift fold --weight samples out.$format || echo "status $?"
done
cat >text <<'END'
app 10/10 1.000000:     200 cycles: 
	            1000 main+0x10 (/usr/bin/app)

app 10/10 2.000000:     300 cycles: 
	            1000 main+0x10 (/usr/bin/app)

END
hotdrift fold --weight samples text
hotdrift convert text --to pprof -o counted.pb
hotdrift fold --weight samples counted.pb
# one sample type, space/bytes, that counts no samples; one sample of 64 bytes without a stack
printf '\012\004\010\001\020\002\022\003\022\001\100\062\000\062\005space\062\005bytes' >heap.pb
hotdrift fold heap.pb
hotdrift fold --weight samples heap.pb || echo "status $?"
