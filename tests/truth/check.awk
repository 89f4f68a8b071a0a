# check.awk - compare the stacks of a recording with the known ones
#
#   awk -f check.awk [-v inline=0] [-v stitch=0] [-v only=FLAG] ... EXPECTED FOLDED
#
# EXPECTED is the output of `truth --expect`; fixtures/workloads/truth/truth.h describes its notation.  FOLDED has lines
# `comm;outer;...;leaf N`.  The comm of a sample is the name of its scenario.
#
# The leaf functions of a scenario spin, so most samples are in one of them.  At most one in a thousand of these samples
# may have a wrong stack.  The other samples were taken on the way to a leaf or back, partly in code that changes
# stacks.  Their stacks must begin at a root (_start or the start of a thread).  Exceptions are allowed for 2 samples
# and 2 % of the scenario.  Samples in the function around an inlined leaf count as exceptions, too.  In a stripped
# program, leaves cannot be recognised, so these rules hold for all samples.
#
#   inline=0   stacks were folded without inlined functions: frames marked ~ must be absent
#   stitch=0   stacks were not completed: those of scenarios marked `cut` must be incomplete, and right as far as they
#              go.  By default they must be complete, except 2 samples and 5 % for which no other sample has the rest
#   fp=1       frame-pointer chains: frames of the C library outside of main may be missing, and a chain that begins in
#              the C library may be incomplete; samples of a leaf without its caller count as exceptions
#   names=0    the program is stripped: its frames are [unknown]; scenarios marked `frames` must have the right depth
#   large=1    the stack copies contain the whole stack: all stacks must be complete without stitching
#   only=FLAG  check only the scenarios with this flag; not=FLAG,FLAG: only those with none of these flags;
#              of=NAME,NAME: only the scenarios with these names
#   min=5      number of samples that each line of EXPECTED needs
#
# Prints `ok SCENARIO JUDGED`, or `not ok SCENARIO WHY` and some of the wrong stacks; last a line `# total ...`.
BEGIN {
	FS = "\t"
	if (inline == "") inline = 1
	if (stitch == "") stitch = 1
	if (names == "") names = 1
	if (min == "") min = 5
	split(not, leave_out, ",")
	# Functions that must not be on any stack.
	split("noret_behind first_before", never, " ")
	for (i in never) own[never[i]] = 1
	WHOLE = 2; CUT = 1
	root = "^(_start|_*start_thread|_*(GI_)?_*clone[0-9]?|__start_context|_dl_start_user" \
		"|runtime\\.(goexit|mcall|morestack|systemstack)(\\.abi0)?|\\[unknown\\])$"
}

# ---- the truth
FNR == NR {
	if (only != "" && index($2, only ",") == 0) next
	if (index($2, "measured,") && of == "") next
	for (i in leave_out) if (index($2, leave_out[i] ",")) next
	if (of != "" && index("," of ",", "," $1 ",") == 0) next
	if (!names && index($2, "frames,") == 0) next
	n = ++lines; scenario[n] = $1; flags[n] = $2; known[$1] = known[$1] " " n
	text = $3
	maybe[n] = sub(/^\?/, "", text)
	if (text ~ /[\^%]/) cuttable[$1] = 1
	if (index($2, "cut,")) deep[$1] = 1
	count = split(text, part, ";"); size[n] = 0
	for (i = 1; i <= count; i++) {
		word = part[i]; inlined = sub(/^~/, "", word)
		if (word !~ /^[@^%]/) { bare = word; sub(/\+$/, "", bare); own[bare] = 1 }
		if (inlined && !inline) continue
		if (!names && word !~ /^[@^%]/) word = "[unknown]"
		token[n, ++size[n]] = word
	}
	# Two stacks may be equal without their inlined frames.
	sum = $1
	for (i = 1; i <= size[n]; i++) sum = sum ";" token[n, i]
	if (sum in had) maybe[n] = 1
	had[sum] = 1
	# The leaf, and its name without its inlined functions.
	for (i = count; i > 0; i--) {
		word = part[i]; inlined = sub(/^~/, "", word)
		if (word ~ /^@/) { around[$1, part[i - 1]] = 1; break }
		leaf[$1, names ? word : "[unknown]"] = i == count ? "wrong stack" : "around an inlined leaf"
		if (!inlined) break
	}
	next
}

function is_own(f) { return names ? f in own : f == "[unknown]" }

# Match tokens 1..t of a line with frames 1..f, from the leaf outwards.
function fits(line, t, f, cut, loose,   word, k, r) {
	for (;;) {
		if (t == 0) return f == 0 ? WHOLE : 0
		word = token[line, t]
		if (word == "^") { cut = !large; t--; continue }
		if (word == "%") { loose = 1; t--; continue }
		if (f == 0) return word == "@start" && fp ? WHOLE : cut || loose ? CUT : 0
		if (word == "@start" || word == "@thread" || word == "@context" || word == "@root") {
			if (fp && word == "@start") {
				for (k = 1; k <= f; k++)
					if (is_own(frame[k]))
						return 0
				return WHOLE
			}
			if (frame[1] !~ root || f > 8) return cut || loose ? outside(f) : 0
			return outside(f) ? WHOLE : 0
		}
		if (word == "@foreign?" && (r = fits(line, t - 1, f, cut, loose))) return r
		if (word ~ /^@foreign/) {
			for (k = 1; k <= f && !(names && is_own(frame[f - k + 1])); k++)
				if ((r = fits(line, t - 1, f - k, cut, loose))) return r
			return 0
		}
		if (word ~ /\+$/) {
			sub(/\+$/, "", word)
			for (k = 1; k <= f && frame[f - k + 1] == word; k++)
				if ((r = fits(line, t - 1, f - k, cut, loose))) return r
			return 0
		}
		if (frame[f] == word) { t--; f--; continue }
		if (!loose) return 0
		t--
	}
}
function outside(f,   k) {
	for (k = 1; k <= f; k++) if (names && is_own(frame[k])) return 0
	return CUT
}

# ---- the samples
{
	match($0, / [0-9]+$/)
	weight = substr($0, RSTART + 1); stack = substr($0, 1, RSTART - 1)
	n = split(stack, part, ";"); comm = part[1]; depth = n - 1
	if (!(comm in known)) { others += weight; next }
	total += weight
	for (i = 2; i <= n; i++) {
		name = part[i]
		sub(/( \[clone)? ?\.cold(\.[0-9]+)?\]?$/, "", name)
		frame[i - 1] = name
	}
	if (depth == 0) frame[1] = "(no frame)"
	m = split(known[comm], which, " "); best = 0
	for (i = 1; i <= m && best != WHOLE; i++) {
		line = which[i]
		r = fits(line, size[line], depth, !large && index(flags[line], "cut,"))
		if (r > best) { best = r; hit = line }
	}
	if (best) {
		good[comm] += weight; seen[hit] += weight
		if (best == WHOLE) whole[hit] += weight
		else if (index(flags[hit], "cut,")) unfinished[comm] += weight
		next
	}
	why = ""
	if ((comm, frame[depth]) in leaf) why = names ? leaf[comm, frame[depth]] : "on the way?"
	else if (!may_be_cut(comm) &&
			(depth == 0 || frame[1] !~ root || (depth == 1 && frame[1] == "[unknown]")))
		why = "no root"
	else for (i = 1; i < depth; i++) if ((comm, frame[i]) in around && !is_own(frame[depth])) why = "wrong stack"
	if (fp && why == "wrong stack" && lacks_caller()) why = "no frame yet"
	if (why == "") { elsewhere += weight; next }
	if (why != "wrong stack") rootless[comm] += weight
	else { bad[comm] += weight; wrong += weight }
	if (++told[comm] <= 3) example[comm] = example[comm] "\n    " why ", " weight " x " short(stack)
}
# A frame-pointer chain of a sample in the first or last instructions of a leaf, where it has no frame.
function lacks_caller(   i, line) {
	for (i = 1; i <= m; i++) {
		line = which[i]
		if (size[line] > 2 && frame[depth] == token[line, size[line]] && fits(line, size[line] - 2, depth - 1))
			return 1
	}
	return 0
}
function may_be_cut(s) { return fp || (!large && (s in cuttable || s in deep)) }
function short(s) { return length(s) > 420 ? substr(s, 1, 200) " ... " substr(s, length(s) - 200) : s }

END {
	for (i = 1; i <= lines; i++) {
		s = scenario[i]
		if (!(s in order)) { order[s] = ++scenarios; named[scenarios] = s }
		judged_right += seen[i]
		if (seen[i] + 0 < min && !maybe[i])
			few[s] = few[s] sprintf("\n    %d samples of ...%s, fewer than %d", seen[i],
				token[i, size[i]], min)
		# Without stitching, no frame may be added to a stack that the copy does not contain.
		if (!stitch && !large && index(flags[i], "cut,") && token[i, size[i] - 1] !~ /\+$/ && whole[i] > 0)
			few[s] = few[s] sprintf("\n    %d stacks of ...%s are whole: they cannot be", whole[i],
				token[i, size[i]])
	}
	for (i = 1; i <= scenarios; i++) {
		s = named[i]; judged = good[s] + bad[s]
		if (rootless[s] > 2 + judged / 50) {
			wrong += rootless[s]
			bad[s] += rootless[s]
			judged += rootless[s]
		}
		# Samples of a thread that changed its CPU are not in order of time in the file: they are right, but
		# not always completed.
		if (stitch && s != "migrated" && unfinished[s] > 2 + judged / 20)
			few[s] = few[s] sprintf("\n    %d of %d stacks were not completed", unfinished[s], judged)
		if (bad[s] + 0 > judged / 1000)
			printf "not ok %s %d of %d stacks are wrong%s%s\n", s, bad[s], judged, example[s], few[s]
		else if (few[s] != "")
			printf "not ok %s %s%s\n", s, few[s] ~ /not completed/ ? "is cut" : "too little seen", few[s]
		else
			printf "ok %s %d\n", s, judged
	}
	printf "# total %d judged %d wrong %d on the way\n", judged_right + wrong, wrong, elsewhere
}
