# a function that perf marks as inlined is a physical frame if the next outer frame has another address
cat >text <<'TEXT'
app 10/10 1.000000:     10 cycles:u:
	           8327c alias_inner+0xfc (inlined)
	           8327c __GI__IO_default_xsputn+0xfc (inlined)
	           5e0fe outstring_func+0x1cfe (inlined)
	           5e0fe __vfprintf_internal+0x1cfe (/usr/lib/libc.so.6)
	            1000 main+0x10 (/usr/bin/app)

app 10/10 2.000000:     1 cycles:u:
	            1000 main+0x10 (/usr/bin/app)

TEXT
hotdrift fold --annotate text
hotdrift top text
hotdrift fold --no-inline text
# without addresses, all marked frames are inlined
{ tail -n 3 text; cat text; } | sed 's/^\t *[0-9a-f]* /\t/' | hotdrift fold --annotate -
