# fold.awk - fold `perf script -F comm,tid,ip,sym,symoff` to `comm;outer;inner COUNT <TAB> MASK`, without hotdrift
#
# The mask is the stack with a `?` in place of each frame whose return address is the first byte of a symbol, or in no
# symbol.  For frame-pointer chains, perf looks up the return address itself, which is the first byte after the call,
# and so can name the next function.
function flush() {
	if (seen) {
		count[comm stack]++
		masks[comm stack] = comm mask
	}
	seen = 0
}
function frame(text,   ip, name, late, kernel) {
	sub(/^[ \t]+/, "", text)
	ip = text
	sub(/ .*/, "", ip)
	name = substr(text, length(ip) + 2)
	late = name ~ /\+0x0$/ || name == "[unknown]"
	sub(/\+0x[0-9a-f]+$/, "", name)
	kernel = length(ip) == 16 && ip ~ /^ffff/
	late = late && n > 0 && !(was_kernel && !kernel)
	gsub(/;/, ":", name)
	stack = ";" name stack
	mask = ";" (late ? "?" : name) mask
	was_kernel = kernel
	n++
}
/^$/ { flush(); next }
/^[^ \t]/ || (!seen && / [0-9]+ *$/) {
	flush()
	comm = $0
	sub(/ +[0-9]+ *$/, "", comm)
	sub(/^ +/, "", comm)
	stack = mask = ""
	n = was_kernel = 0
	seen = 1
	next
}
seen { frame($0) }
END { flush(); for (s in count) printf "%s %d\t%s\n", s, count[s], masks[s] }
