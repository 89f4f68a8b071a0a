# collapse.awk -v event=NAME - fold the text of `perf script`, as stackcollapse-perf.pl does, by period
/^[^\t]/ && NF {
	name = $NF
	sub(/:$/, "", name)
	weight = $(NF - 1)
	comm = $0
	sub(/ -?[0-9]+\/-?[0-9]+ .*/, "", comm)
	gsub(/;/, "\\x3b", comm)	# as in folded text
	stack = ""
	mine = name == event
	next
}
/^\t/ {
	frame = $0
	sub(/^\t *[0-9a-f]+ /, "", frame)
	sub(/ \([^()]*\)$/, "", frame)
	stack = ";" frame stack
	next
}
!NF && mine { sum[comm stack] += weight }
END { for (s in sum) printf "%s %.0f\n", s, sum[s] }
