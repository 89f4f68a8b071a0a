# several inputs: samples are added up, and a warning reports different events
cat >cycles.script <<'TEXT'
app 10/10 1.000000:     100 cycles: 
	            1000 work+0x10 (/usr/bin/app)
	            2000 main+0x10 (/usr/bin/app)

app 10/10 2.000000:     100 cycles: 
	            1000 work+0x10 (/usr/bin/app)
	            2000 main+0x10 (/usr/bin/app)

TEXT
sed 's/cycles/page-faults/' cycles.script >page-faults.script
samples() { grep -o '^[^>]*100.00%[^<]*' "$1" | sort -u; }
hotdrift flame cycles.script cycles.script -o one-event.svg
samples one-event.svg
hotdrift flame cycles.script page-faults.script -o two-events.svg
samples two-events.svg
