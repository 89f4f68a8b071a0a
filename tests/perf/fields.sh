# shellcheck shell=bash
# shellcheck disable=SC2154  # run-perf.sh sets hotdrift and src
# fields.sh - compare fields of samples with perf; sourced by run-perf.sh, which defines pass, fail and skip
#
# Each line has the output of hotdrift and the output of perf that must be equal:
#   report --by FIELD      = perf report --sort EVENT.FIELD/raw: every value with its number of samples
#   --filter, weights      = perf script -F comm,event,trace, whose lines awk selects and sums up
#   sample fields          = perf report --sort KEY and perf script -F, also for the synthetic recording of memory.c

# Print perf's values of a key with their samples: `N value`.  $1 file, $2 key, $3 event or "".
perf_values() {
	"$PERF" report --stdio --no-children --sort="$2" -g none -n -t '|' --percent-limit 0 -i "$1" 2>/dev/null |
	awk -F'|' -v event="${3:-}" '
		/^# Samples:/ { on = event == "" || index($0, "'\''" event "'\''") }
		/^#/ || NF < 3 || !on { next }
		{ n = $2; v = $3; gsub(/ /, "", n); gsub(/^ +| +$/, "", v); sum[v] += n }
		END { for (v in sum) print sum[v], v }' | sort
}
our_values() {
	"$hotdrift" report --json --by "$2" ${3:+--event "$3"} "$1" 2>>notes |
	sed -E 's/(": *)([0-9]{16,})/\1"\2"/g' |	# jq rounds numbers above 2^53
	jq -r --arg k "$2" '.rows[] | "\(.samples) \(.[$k])"' |
	awk '{ n = $1; sub(/^[0-9]+ /, ""); sum[$0] += n } END { for (v in sum) print sum[v], v }' | sort
}

same_values() {	# NAME PERF_FILE OUR_FILE
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		pass
	else
		fail "$1" "differs from perf"
		diff "$2" "$3" | head -8
	fi
}

# Cut the values of both files to the length of the longest value in the first file.
cut_alike() {	# PERF_FILE OUR_FILE
	local f
	for f in "$2" "$1"; do
		awk 'NR == FNR { v = $0; sub(/^[0-9]+ /, "", v); if (length(v) > most) most = length(v); next }
			{ n = $1; v = $0; sub(/^[0-9]+ /, "", v); sum[substr(v, 1, most)] += n }
			END { for (v in sum) print sum[v], v }' "$1" "$f" | sort >cut.values
		cp cut.values "$f"
	done
}
# Later versions of libtraceevent print a field as the tracepoint's own format does: in hexadecimal or as a function of
# the kernel.  The values are the same, and hotdrift prints numbers in decimal and addresses in hexadecimal.
as_numbers() {	# FILE: `N value`, with numbers in decimal
	local n v
	while read -r n v; do
		[[ $v =~ ^(0x[0-9a-f]+|-?[1-9][0-9]*|0)$ ]] && v=$((v))
		printf '%s %s\n' "$n" "$v"
	done <"$1" | sort >numbers.values
	cp numbers.values "$1"
}
as_functions() {	# FILE: `N address` -> `N function+0xoffset`
	{
		awk '{ print $1, "symbol", $3 }' /proc/kallsyms
		awk '{ print substr($2, 3), "value", $1 }' "$1"
	} | sort -k1,1 -k2,2 | awk '
		function hex(s,   i, v) {
			for (i = 1; i <= length(s); i++) v = 16 * v + index("0123456789abcdef", substr(s, i, 1)) - 1
			return v
		}
		$2 == "symbol" { at = substr($1, 5); name = $3; next }
		{ printf "%s %s+0x%x\n", $3, name, hex(substr($1, 5)) - hex(at) }' >function.values
	cp function.values "$1"
}
# Compare every field of every tracepoint of a recording.
compare_fields() {	# NAME FILE
	local event field
	"$hotdrift" info --json "$2" 2>>notes | jq -r \
		'.events[] | select(.samples > 0) | .name as $e | .fields[] | "\($e) \(.)"' >fields.list
	[ -s fields.list ] || fail "$1: fields" "info lists none"
	while read -r event field; do
		perf_values "$2" "$event.$field/raw" "$event" >perf.values
		our_values "$2" "$event.$field" "$event" >our.values
		if [ "$field" = call_site ] && grep -q '+0x' perf.values; then
			as_functions our.values
			cut_alike perf.values our.values
		fi
		# perf cuts texts and numbers to the width of its column, which is not the width of the longest text.
		if [ "$field" = filename ] || grep -qE ' [0-9]{18}$' perf.values; then
			cut_alike perf.values our.values
		fi
		as_numbers perf.values
		as_numbers our.values
		same_values "$1: --by $event.$field" perf.values our.values
	done <fields.list
}

# Print the fields of an event by perf script, one sample per line: `comm<TAB>name=value name=value`.  In some print
# formats a name is not the field's; those used here are.  perf 6.12 names a thread that has ended `:TID`; the switch
# away from it still has its name.
traced() {	# FILE EVENT
	"$PERF" script -i "$1" -F comm,tid,event,trace 2>/dev/null >traced.lines
	awk -v event="$2" '
		FNR == NR {
			if (match($0, / prev_comm=.* prev_pid=[0-9]+/)) {
				name = substr($0, RSTART + 11, RLENGTH - 11); tid = name
				sub(/ prev_pid=[0-9]+$/, "", name); sub(/.*=/, "", tid); ended[":" tid] = name
			}
			next
		}
		(at = index($0, " " event ": ")) {
			comm = substr($0, 1, at - 1); gsub(/^ +| +[0-9]+ *$/, "", comm)
			rest = substr($0, at + length(event) + 3); sub(/^ +/, "", rest)
			print (comm in ended ? ended[comm] : comm) "\t" rest
		}' traced.lines traced.lines
}
# value(): return the number after NAME= in a line.
value='function value(line, name) {
	if (!match(line, "(^|[ \t])" name "=")) return ""
	return substr(line, RSTART + RLENGTH) + 0
}'

tracepoints=sched:sched_switch,sched:sched_process_exec,kmem:kmalloc,irq:softirq_entry
tracepoints+=,syscalls:sys_enter_openat,syscalls:sys_exit_openat
if "$PERF" record -q -a -e "$tracepoints" -o trace.data -- sh -c './calls 0.1; ls -R /etc; ./family' >record.log 2>&1; \
	then
	compare_fields tracepoints trace.data
	traced trace.data kmem:kmalloc | awk -F'\t' \
		"$value"'{ sum[$1] += value($2, "bytes_req") } END { for (c in sum) print sum[c], c }' | sort >perf.sums
	"$hotdrift" report --json --by comm --event kmem:kmalloc --weight-field bytes_req trace.data 2>>notes |
	jq -r '.rows[] | "\(.self) \(.comm)"' | awk \
	'{ n = $1; sub(/^[0-9]+ /, ""); gsub(/^ +| +$/, ""); s[$0] += n } END { for (c in s) print s[c], c }' |
	sort >our.sums
	same_values "tracepoints: --weight-field bytes_req" perf.sums our.sums
	traced trace.data kmem:kmalloc | awk -F'\t' \
		"$value"'
		{ b = value($2, "bytes_req"); if (b >= 64 && !(b > 1000) || b == 8) n++ }
		END { print n + 0 }' >perf.count
	"$hotdrift" report --json --by event --filter 'bytes_req >= 0x40 && !(bytes_req > 1000) || bytes_req == 8' \
		trace.data 2>>notes |
	jq '[.rows[].samples] | add // 0' >our.count
	same_values "tracepoints: --filter by numbers" perf.count our.count
	# perf 6.12 has no name for a thread that has ended; the thread's last switch follows its end.
	traced trace.data sched:sched_switch | awk \
		'/(^|[ \t])prev_comm=[cs][^ ]* prev_pid=/ && !/ next_comm=sh next_pid=/ { n++ } END { print n + 0 }' \
		>perf.count
	"$hotdrift" report --json --by event --filter 'prev_comm ~ "[cs]*" && next_comm != sh && !(prev_comm ~ "* *")' \
		trace.data 2>>notes |
	jq '[.rows[].samples] | add // 0' >our.count
	same_values "tracepoints: --filter by texts" perf.count our.count
	traced trace.data syscalls:sys_enter_openat | awk -F'\t' '$1 == "ls" { n++ } END { print n + 0 }' >perf.count
	"$hotdrift" report --json --by event --event syscalls:sys_enter_openat --filter 'comm == ls' trace.data \
		2>>notes |
	jq '[.rows[].samples] | add // 0' >our.count
	same_values "tracepoints: --filter by the name of a process" perf.count our.count
else
	skip "tracepoints" "perf record -a -e $tracepoints is not permitted: $(head -1 record.log)"
fi

if "$PERF" record -q --all-cgroups -e page-faults -c 1 -d --phys-data --data-page-size --code-page-size -o faults.data \
	-- ls -R /usr/share >/dev/null 2>record.log; then
	perf_values faults.data cgroup >perf.values
	our_values faults.data cgroup >our.values
	same_values "page faults: --by cgroup" perf.values our.values
	"$PERF" script -i faults.data -F addr,phys_addr,data_page_size,code_page_size 2>/dev/null |
	awk '
		function bytes(s,   n) {
			n = s + 0
			if (s == "N/A") return "null"
			return s ~ /K$/ ? n * 1024 : s ~ /M$/ ? n * 1048576 : s ~ /G$/ ? n * 1073741824 : n
		}
		{ print "0x" $1, "0x" $2, bytes($3), bytes($4) }' | sort | uniq -c | awk '{ $1 = $1 } 1' |
			sort >perf.values
	"$hotdrift" report --json --by addr,phys_addr,data_page_size,code_page_size faults.data 2>>notes |
	jq -r '.rows[] | "\(.samples) \(.addr) \(.phys_addr) \(.data_page_size) \(.code_page_size)"' |
	awk '{ n = $1; sub(/^[0-9]+ /, ""); s[$0] += n } END { for (v in s) print s[v], v }' | sort >our.values
	same_values "page faults: addresses and page sizes" perf.values our.values
else
	skip "page faults" "perf record --all-cgroups -d --phys-data is not permitted: $(head -1 record.log)"
fi

# A synthetic recording that has each bit of data_src, which only some hardware can record.
if "$CC" -o memory "$src/memory.c" 2>build.log && ./memory >memory.data; then
	for pair in transaction:transaction cgroup:cgroup local_weight:weight local_ins_lat:ins_lat; do
		perf_values memory.data "${pair%:*}" | sed 's/ unknown$/ 99/' >perf.values
		our_values memory.data "${pair#*:}" | sed 's/ null$/ /' >our.values
		same_values "memory: --by ${pair#*:}" perf.values our.values
	done
	# Each sample has a different ip.  For more than 4 hops perf prints (null), so memory.c writes none.
	rest='\|TLB (.*)\|LCK (.*)\|BLK +(.*[^ 0-9]) +([0-9a-f]+) *$'
	"$PERF" script -i memory.data -F addr,ip,data_src 2>/dev/null |
	sed -nE "s/^ *([0-9a-f]+) +([0-9a-f]+) \|OP (.*)\|LVL (.*)\|SNP (.*)$rest/\9|\2|\1|\3|\4|\5|\6|\7|\8/p" |
	sed 's/ *|/|/g' >perf.source
	"$hotdrift" report --json --by addr,op,mem,snoop,tlb,locked,blocked,ip memory.data 2>>notes |
	jq -r '.rows[] | [.ip[2:], .addr[2:], .op, .mem, .snoop, .tlb, .locked, .blocked] | join("|")' >our.source
	since=6.1
	if perf_since 6 5; then since=6.5; fi
	awk -v since="$since" -f "$src/source.awk" perf.source our.source
	sort -o perf.values perf.values
	sort -o our.values our.values
	same_values "memory: the parts of the data source" perf.values our.values
else
	skip "memory" "memory.c does not build: $(head -1 build.log)"
fi
