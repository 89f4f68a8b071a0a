# shellcheck shell=bash
# shellcheck disable=SC2154  # run-perf.sh sets hotdrift and src
# fields.sh - fields of samples against perf; read by run-perf.sh, which has pass, fail, skip and the programs
#
#   report --by FIELD      = perf report --sort EVENT.FIELD/raw, every value with its number of samples
#   --filter, weights      = perf script -F comm,event,trace, judged and summed by awk
#   sample fields          = perf report --sort KEY, and perf script -F of a recording made here (memory.c)

# perf's values of a key with their samples: `N value`.  $1 file, $2 key, $3 event or "".
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
	jq -r --arg k "$2" '.rows[] | "\(.samples) \(.[$k])"' | awk '{ n = $1; sub(/^[0-9]+ /, ""); sum[$0] += n } END { for (v in sum) print sum[v], v }' | sort
}

same_values() {	# NAME PERF_FILE OUR_FILE
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		pass
	else
		fail "$1" "differs from perf"
		diff "$2" "$3" | head -8
	fi
}

# Both files with values no longer than the longest of the first.
cut_alike() {	# PERF_FILE OUR_FILE
	local f
	for f in "$2" "$1"; do
		awk 'NR == FNR { v = $0; sub(/^[0-9]+ /, "", v); if (length(v) > most) most = length(v); next }
			{ n = $1; v = $0; sub(/^[0-9]+ /, "", v); sum[substr(v, 1, most)] += n } END { for (v in sum) print sum[v], v }' "$1" "$f" | sort >cut.values
		cp cut.values "$f"
	done
}
# Every field of every tracepoint of a recording.
compare_fields() {	# NAME FILE
	local event field
	"$hotdrift" info --json "$2" 2>>notes | jq -r '.events[] | select(.samples > 0) | .name as $e | .fields[] | "\($e) \(.)"' >fields.list
	[ -s fields.list ] || fail "$1: fields" "info lists none"
	while read -r event field; do
		perf_values "$2" "$event.$field/raw" "$event" >perf.values
		our_values "$2" "$event.$field" "$event" >our.values
		# perf cuts texts of any length to the width of its column, which is not that of the longest.
		if [ "$field" = filename ]; then cut_alike perf.values our.values; fi
		same_values "$1: --by $event.$field" perf.values our.values
	done <fields.list
}

# What perf script says of an event, one sample a line: `comm<TAB>name=value name=value`.  In some print formats a name is
# not the field's; those used here are.
traced() {	# FILE EVENT
	"$PERF" script -i "$1" -F comm,event,trace 2>/dev/null |
	awk -v event="$2" '(at = index($0, " " event ": ")) {
		comm = substr($0, 1, at - 1); gsub(/^ +| +$/, "", comm); rest = substr($0, at + length(event) + 3); sub(/^ +/, "", rest); print comm "\t" rest }'
}
# The number behind NAME= in a line.
value='function value(line, name) { if (!match(line, "(^|[ \t])" name "=")) return ""; return substr(line, RSTART + RLENGTH) + 0 }'

tracepoints=sched:sched_switch,sched:sched_process_exec,kmem:kmalloc,irq:softirq_entry,syscalls:sys_enter_openat,syscalls:sys_exit_openat
if "$PERF" record -q -a -e "$tracepoints" -o trace.data -- sh -c './calls 0.1; ls -R /etc; ./family' >record.log 2>&1; then
	compare_fields tracepoints trace.data
	traced trace.data kmem:kmalloc | awk -F'\t' "$value"'{ sum[$1] += value($2, "bytes_req") } END { for (c in sum) print sum[c], c }' | sort >perf.sums
	"$hotdrift" report --json --by comm --event kmem:kmalloc --weight-field bytes_req trace.data 2>>notes |
	jq -r '.rows[] | "\(.self) \(.comm)"' | awk '{ n = $1; sub(/^[0-9]+ /, ""); gsub(/^ +| +$/, ""); s[$0] += n } END { for (c in s) print s[c], c }' | sort >our.sums
	same_values "tracepoints: --weight-field bytes_req" perf.sums our.sums
	traced trace.data kmem:kmalloc | awk -F'\t' "$value"'{ b = value($2, "bytes_req"); if (b >= 64 && !(b > 1000) || b == 8) n++ } END { print n + 0 }' >perf.count
	"$hotdrift" report --json --by event --filter 'bytes_req >= 0x40 && !(bytes_req > 1000) || bytes_req == 8' trace.data 2>>notes |
	jq '[.rows[].samples] | add // 0' >our.count
	same_values "tracepoints: --filter by numbers" perf.count our.count
	traced trace.data sched:sched_switch | awk -F'\t' '$2 ~ /(^| )prev_comm=[cs][^ ]* / && $1 != "sh" { n++ } END { print n + 0 }' >perf.count
	"$hotdrift" report --json --by event --filter 'prev_comm ~ "[cs]*" && comm != sh && !(prev_comm ~ "* *")' trace.data 2>>notes |
	jq '[.rows[].samples] | add // 0' >our.count
	same_values "tracepoints: --filter by texts" perf.count our.count
else
	skip "tracepoints" "perf record -a -e $tracepoints is not permitted: $(head -1 record.log)"
fi

if "$PERF" record -q --all-cgroups -e page-faults -c 1 -d --phys-data --data-page-size --code-page-size -o faults.data -- ls -R /usr/share >/dev/null 2>record.log; then
	perf_values faults.data cgroup >perf.values
	our_values faults.data cgroup >our.values
	same_values "page faults: --by cgroup" perf.values our.values
	"$PERF" script -i faults.data -F addr,phys_addr,data_page_size,code_page_size 2>/dev/null |
	awk '
		function bytes(s,   n) { n = s + 0; return s == "N/A" ? "null" : s ~ /K$/ ? n * 1024 : s ~ /M$/ ? n * 1048576 : s ~ /G$/ ? n * 1073741824 : n }
		{ print "0x" $1, "0x" $2, bytes($3), bytes($4) }' | sort | uniq -c | awk '{ $1 = $1 } 1' | sort >perf.values
	"$hotdrift" report --json --by addr,phys_addr,data_page_size,code_page_size faults.data 2>>notes |
	jq -r '.rows[] | "\(.samples) \(.addr) \(.phys_addr) \(.data_page_size) \(.code_page_size)"' |
	awk '{ n = $1; sub(/^[0-9]+ /, ""); s[$0] += n } END { for (v in s) print s[v], v }' | sort >our.values
	same_values "page faults: addresses and page sizes" perf.values our.values
else
	skip "page faults" "perf record --all-cgroups -d --phys-data is not permitted: $(head -1 record.log)"
fi

# Not recorded here, but written: what memory hardware tells, each bit of it.
if "$CC" -o memory "$src/memory.c" 2>build.log && ./memory >memory.data; then
	for pair in transaction:transaction cgroup:cgroup local_weight:weight local_ins_lat:ins_lat; do
		perf_values memory.data "${pair%:*}" | sed 's/ unknown$/ 99/' >perf.values
		our_values memory.data "${pair#*:}" | sed 's/ null$/ /' >our.values
		same_values "memory: --by ${pair#*:}" perf.values our.values
	done
	# For more than 4 hops perf prints (null); memory.c writes none.
	"$PERF" script -i memory.data -F addr,ip,data_src 2>/dev/null |
	sed -nE 's/^ *([0-9a-f]+) +[0-9a-f]+ \|OP (.*)\|LVL (.*)\|SNP (.*)\|TLB (.*)\|LCK (.*)\|BLK +(.*[^ 0-9]) +[0-9a-f]+ *$/\1|\2|\3|\4|\5|\6|\7/p' |
	sed 's/ *|/|/g' | sort >perf.values
	"$hotdrift" report --json --by addr,op,mem,snoop,tlb,locked,blocked,ip memory.data 2>>notes |
	jq -r '.rows[] | [.addr[2:], .op, .mem, .snoop, .tlb, .locked, .blocked] | join("|")' | sort >our.values
	same_values "memory: the parts of the data source" perf.values our.values
else
	skip "memory" "memory.c does not build: $(head -1 build.log)"
fi
