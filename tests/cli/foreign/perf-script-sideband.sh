# records that are not samples are skipped in text of perf script
cat >text <<'TEXT'
swapper     0     0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1276f48) @ 0xffffffff81000000]: x [kernel]_text
w  9847 84420.975686: PERF_RECORD_COMM exec: w:9847/9847
w  9847 84420.975795: PERF_RECORD_MMAP2 9847/9847: [0x559f32b7e000(0x1000) @ 0x1000 fe:00 10954418 7]: r-xp /tmp/w
w  9847 84420.976927:    1001001 cpu-clock: 
	            1000 main+0x10 (/tmp/w)

w  9847 84420.988010: PERF_RECORD_FORK(9847:9852):(9847:9847)
w  9852 84420.988100: PERF_RECORD_KSYMBOL addr ffffffffc0 len 4 type 1 flags 0x0 name bpf_prog
w  9852 84420.988207:    1001001 cpu-clock: 
	            2000 work+0x10 (/tmp/w)

w  9852 84421.273243: PERF_RECORD_EXIT(9847:9852):(9836:9836)
TEXT
hotdrift fold text
hotdrift top text
# without times
sed 's/ [0-9]*\.[0-9]*://' text | hotdrift fold -
