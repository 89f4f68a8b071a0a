#!/bin/bash
# run-mutants.sh - make damaged recordings and programs, and read them with several commands
#
#   make check-mutants [N=150] [SEED=1] [DIR=folder with more recordings] [SAN=address,undefined] [V=1]
#
# tests/mutants/ makes N damaged recordings and N/3 damaged programs; equal N, SEED and seeds give equal files.  Seeds
# are recordings made there and those of fixtures/; with N=500 or more also undamaged ones of ../shared/corpus (or
# DIR).  info, top, fold, report and, for every eighth file, flame read each file under limits: 10 s of CPU, 2 GiB of
# address space.  These properties are checked:
#
#   - no signal or time-out ends a command; its status is 5 with a message, or 0 without one; no sanitizer reports;
#   - info reports a broken bound that a strict reader finds (tests/mutants/layout.c, class E);
#   - each SAMPLE record of a file without a broken bound (V) is counted; read = kept + dropped in every file;
#   - 99 % of the samples before the damage are kept;
#   - memory stays below 256 MiB; a damaged program loses names, with a warning, but no samples.
#
# After that come small inputs that unpack to large ones (tests/mutants/amplify.c, SIZE=150000 bytes each, with N=500 or
# more 1.9 MB), databases with computed values, and an endless pipe: every command that reads them stays below 256 MiB
# and 10 s of CPU.
#
# A test is one mutant or one of these inputs; failing ones are kept in $O/mutants.
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite mutants
cd "$top" || exit 1
N=${N:-150}
SEED=${SEED:-1}
prog=$hotdrift
mutants=$O/tests/mutants/mutants
limited=$O/tests/limited
kept=$O/mutants
export LC_ALL=C NO_COLOR=1 TZ=UTC HOME=/nonexistent DEBUGINFOD_URLS=
export ASAN_OPTIONS="exitcode=99:${ASAN_OPTIONS:-}"

needs_built "$prog" "$mutants" "$limited"
needs mutants jq
temporary_folder
mkdir "$tmp/seeds" "$tmp/data" "$tmp/elf" "$tmp/root" "$tmp/empty"
export LIMITED_OUT=$tmp/took
# A sanitizer reserves address space without using it, and keeps what is freed.
space=2048
[ -z "${SAN:-}" ] || space=0

# read_by COMMAND OPTION... FILE: set $tmp/out, $err, $status, $ms and $kib; print results that no input may cause
read_by() {
	: > "$LIMITED_OUT"
	"$limited" -v $space "$prog" "$@" > "$tmp/out" 2> "$tmp/err"
	read -r status ms kib < "$LIMITED_OUT"
	err=$(< "$tmp/err")
	[ "$ms" -le "$max_ms" ] || max_ms=$ms
	[ "$kib" -le "$max_kib" ] || max_kib=$kib
	case $err in
	*'runtime error:'* | *Sanitizer*) why="$1: $(grep -m1 'runtime error:\|Sanitizer' "$tmp/err")"; what=crash;
	return 1 ;;
	esac
	case $status in
	0)	case $err in
		*'hotdrift: error:'*) why="$1: an error and status 0: $err"; what=error0; return 1 ;;
		esac ;;
	5)	case $err in
		*'hotdrift: error:'*) ;;
		*) why="$1: status 5 and no message"; what=status; return 1 ;;
		esac ;;
	137 | 142 | 152) why="$1: status $status after $ms ms"; what=hang; return 1 ;;
	1[2-9][0-9] | 99) why="$1: status $status: $err"; what=crash; return 1 ;;
	*)	why="$1: status $status: $err"; what=status; return 1 ;;
	esac
	if [ -z "${SAN:-}" ] && [ "$kib" -gt 262144 ]; then
		why="$1: $kib KiB of memory"
		what=memory
		return 1
	fi
}

# Print from info: SAMPLE records; samples read, kept, dropped, and dropped for their weight; and the number of warnings
# about losses or invalid data, without and with those about symbols.
numbers='[(.records.SAMPLE // 0), .samples.read, .samples.kept, .samples.dropped,
	(.samples.reasons["lost.weight"] // 0),
	([.warnings[] | select(.code | test("^(lost|odd)[.]"))] | length),
	([.warnings[] | select(.code | test("^(lost|odd|symbols)[.]"))] | length)] | map(tostring) | join(" ")'

look_at() {
	if ! read -r records read keeps dropped heavy told named < <(jq -r "$numbers" "$tmp/out" 2> /dev/null) ||
		[ -z "$named" ]; then
		why="info: this is no JSON of the right shape"
		what=status
		return 1
	fi
	if [ "$read" != $((keeps + dropped)) ]; then
		why="info: $read samples read, $keeps kept and $dropped dropped"
		what=lost
		return 1
	fi
}

check_data() {	# FILE CLASS SAMPLES SOUND OFFSET WHAT
	local file=$1 class=$2 samples=$3 sound=$4 offset=$5 broken=$6

	keeps=0
	read_by info --symfs "$tmp/empty" --json "$file" || return
	answer=$status
	if [ "$status" = 0 ]; then
		look_at || return
		if [ "$class" = E ] && [ "$told" = 0 ]; then
			why="info: silent about $broken at $offset"
			what=silent
			return 1
		fi
		if [ "$class" = V ] && [ "$records" != "$samples" ]; then
			why="info: $records SAMPLE records, there are $samples"
			what=lost
			return 1
		fi
		# If the sum of the weights exceeds 64 bits, no reader can keep all samples.
		if [ $((100 * (keeps + heavy))) -lt $((99 * sound)) ]; then
			why="info: $keeps samples kept, $sound are sound ($broken at $offset)"
			what=lost
			return 1
		fi
	elif [ "$class" = V ] || [ "$sound" -gt 0 ]; then
		why="info: status $status, and $sound samples are sound ($broken at $offset): $err"
		what=lost
		return 1
	fi
	for cmd in top fold; do
		read_by $cmd --symfs "$tmp/empty" "$file" || return
	done
	[ $((count % 8)) != 0 ] || read_by flame --symfs "$tmp/empty" "$file" || return
	read_by report --symfs "$tmp/empty" --by symbol,line --json "$file" || return
	# Without a sample there is nothing to report.
	if [ "$status" != "$answer" ] && [ "$keeps" != 0 ]; then
		why="report: status $status, info's was $answer"
		what=status
		return 1
	fi
}

check_elf() {	# RECORDING CLASS SAMPLES BROKEN
	local file=$1 class=$2 samples=$3 broken=$4

	read_by info --symfs "$tmp/root" --json "$file" || return
	answer=$status
	if [ "$status" != 0 ]; then
		why="info: status $status: $err"
		what=lost
		return 1
	fi
	look_at || return
	if [ "$keeps" != "$samples" ]; then
		why="info: $keeps of $samples samples kept"
		what=lost
		return 1
	fi
	if [ "$class" = E ] && [ "$named" = 0 ]; then
		why="info: silent about $broken"
		what=silent
		return 1
	fi
	read_by fold --symfs "$tmp/root" "$file" || return
	[ $((count % 8)) != 0 ] || read_by flame --symfs "$tmp/root" "$file" || return
	read_by report --symfs "$tmp/root" --by symbol,line --json "$file" || return
	if [ "$status" != 0 ]; then
		why="report: status $status: $err"
		what=status
		return 1
	fi
}

# one RESULT: count the result of one damaged file, and record it for the table
one() {
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$kind" "$class" "$answer" "${what:--}" "$max_ms" "$max_kib" >> "$tmp/results"
	if [ -z "$what" ]; then
		pass
		return
	fi
	failed=$((failed + 1))
	mkdir -p "$kept"
	cp "$1" "$kept/$SEED-$file"
	echo "FAILED: $kept/$SEED-$file ($kind of $seed): $(printf '%s' "$why" | head -c 600)"
}

# ---- recordings

"$mutants" seeds "$tmp/seeds" || exit 1
for file in fixtures/recordings/*/*.data; do
	cp "$file" "$tmp/seeds/$(basename "$(dirname "$file")")-$(basename "$file")"
done
corpus=${DIR:-${HD_SHARED:-../shared}/corpus}
if [ "$N" -ge 500 ] || [ -n "${DIR:-}" ]; then
	for file in "$corpus"/*.perf.data "$corpus"/*.perf.data.xz; do
		[ -f "$file" ] || continue
		to=$tmp/seeds/corpus-$(basename "${file%.xz}")
		case $file in
		*.xz) xz -dc "$file" > "$to" ;;
		*) cp "$file" "$to" ;;
		esac
		# Keep only small and undamaged recordings as seeds, because further damage of a damaged file shows
		# nothing.
		if [ "$(wc -c < "$to")" -gt 2000000 ] || [ "$("$mutants" look "$to" | cut -f 4)" != V ]; then
			rm -f "$to"
		fi
	done
fi
: > "$tmp/results"
sound_seeds=()
for file in "$tmp/seeds"/*; do
	max_ms=0 max_kib=0 count=0 why='' what=''
	IFS=$'\t' read -r _ _ _ class samples sound offset broken < <("$mutants" look "$file")
	kind=undamaged seed=$(basename "$file")
	if [ "$class" = V ] && check_data "$file" "$class" "$samples" "$sound" "$offset" "$broken" &&
		[ "$told" = 0 ]; then
		sound_seeds+=("$file")
	elif [ "${seed#corpus-}" = "$seed" ]; then
		echo "FAILED: $seed: an undamaged recording: ${why:-the strict reader says: $class $broken at $offset}"
		failed=$((failed + 1))
	fi
done
"$mutants" make "$N" "$SEED" "$tmp/data" "${sound_seeds[@]}" || exit 1
count=0
while IFS=$'\t' read -r file seed kind class samples sound offset broken; do
	[ "$file" != file ] || continue
	count=$((count + 1))
	max_ms=0 max_kib=0 why='' what='' answer=-
	check_data "$tmp/data/$file" "$class" "$samples" "$sound" "$offset" "$broken"
	one "$tmp/data/$file"
	rm -f "$tmp/data/$file"
done < "$tmp/data/manifest.tsv"

# ---- programs

build_programs() {
	local source=tests/mutants/program.c

	gcc -O2 -g -o "$tmp/elf-5" "$source" && gcc -O2 -g -gdwarf-4 -gz -o "$tmp/elf-4-packed" "$source" &&
		gcc -O1 -fno-pie -no-pie -g -gdwarf-3 -fno-asynchronous-unwind-tables -o "$tmp/elf-debug-frame" \
		"$source" &&
		gcc -O2 -rdynamic -s -o "$tmp/elf-stripped" "$source"
}

if ! command -v gcc > /dev/null || [ "$(uname -m)" != x86_64 ]; then
	echo "skipped: mutants: damaged programs: no gcc for x86-64"
	skipped=$((skipped + 1))
elif ! build_programs 2> "$tmp/err"; then
	echo "FAILED: the programs do not build: $(head -n 3 "$tmp/err")"
	failed=$((failed + 1))
else
	"$mutants" elf $((N / 3)) "$SEED" "$tmp/elf" "$tmp"/elf-* || exit 1
	count=0
	while IFS=$'\t' read -r file seed kind class samples _ _ broken; do
		[ "$file" != file ] || continue
		count=$((count + 1))
		max_ms=0 max_kib=0 why='' what='' answer=-
		mv "$tmp/elf/$file" "$tmp/root/app"
		check_elf "$tmp/elf/$seed.data" "$class" "$samples" "$broken"
		one "$tmp/root/app"
		[ -z "$what" ] || cp "$tmp/elf/$seed.data" "$kept/$seed.data"
	done < "$tmp/elf/manifest.tsv"
fi

# ---- amplification

# Make a program and JIT code with a function at every sixteenth byte, so that each stack has different names.
build_names() {
	mkdir -p "$tmp/named/tmp" "$tmp/named/opt"
	awk 'BEGIN { for (i = 0; i < 65536; i++) printf "%x 10 f%d\n", 4194304 + 16 * i, i }' > \
		"$tmp/named/tmp/perf-10.map"
	awk 'BEGIN {
		print ".text"
		for (i = 0; i < 20000; i++)
			printf ".globl f%d\n.type f%d,@function\nf%d: .skip 16,0x90\n.size f%d,16\n", i, i, i, i
	}' > "$tmp/names.s"
	gcc -c -o "$tmp/names.o" "$tmp/names.s" && ld -e f0 -Ttext=0x401000 -o "$tmp/named/opt/app" "$tmp/names.o"
}

check_amplified() {	# FILE
	local cmd

	for cmd in "info --json" top fold flame "report --by symbol,line --json" "analyze -o $tmp/folder" \
		"convert --to pprof -o $tmp/pprof" "bundle -o $tmp/bundle"; do
		# shellcheck disable=SC2086 # words
		read_by $cmd --symfs "$tmp/named" "$1" || return
		rm -rf "$tmp/folder" "$tmp/pprof" "$tmp/bundle"
	done
	read_by add --db "$tmp/amplified.db" --commit none --symfs "$tmp/named" "$1" || return
	rm -f "$tmp/amplified.db"*
}

# For hotdrift, a damaged database is a failure of the machine and not of the input: status 6.
check_database() {	# FILE
	local cmd

	for cmd in log "show latest" "html -o $tmp/page.html" verify "history --last 5" "diff latest latest" query; do
		# shellcheck disable=SC2086 # words
		if [ "$cmd" = query ]; then
			set -- "$1" query 'SELECT * FROM run'
		else
			set -- "$1" $cmd
		fi
		read_by "${@:2}" --db "$1" || [ "$what" = status ] || return
		what='' why=''
	done
}

hostile_database() {	# NAME SQL
	cp "$tmp/sound.db" "$tmp/db/$1.db" && sqlite3 "$tmp/db/$1.db" "$2"
}

columns='group_concat(CASE WHEN name LIKE "%_raw" THEN "zeroblob(100000000) AS " || name ELSE name END)'
build_databases() {
	mkdir "$tmp/db"
	"$prog" add --db "$tmp/sound.db" --commit none fixtures/recordings/*/*.data --symfs "$tmp/empty" > "$tmp/out" \
		2>&1 ||
		"$prog" add --db "$tmp/sound.db" --commit none "$tmp/seeds/file.data" --symfs "$tmp/empty" > \
		"$tmp/out" 2>&1 || return
	hostile_database view "PRAGMA legacy_alter_table = ON; ALTER TABLE run RENAME TO run_0;
		CREATE VIEW run AS SELECT $(sqlite3 "$tmp/sound.db" \
			"SELECT $columns FROM pragma_table_info('run')") FROM run_0" &&
		hostile_database computed "ALTER TABLE run ADD COLUMN x BLOB AS (zeroblob(100000000))" &&
		hostile_database long-name "UPDATE symbol SET name = printf('%.*c', 1000000, 'n')"
}

size=${SIZE:-$((N < 500 ? 150000 : 1900000))}
mkdir "$tmp/amplified"
if ! command -v gcc > /dev/null || ! command -v ld > /dev/null || ! build_names 2> "$tmp/err"; then
	echo "skipped: mutants: amplification: no assembler or linker"
	skipped=$((skipped + 1))
else
	"$mutants" amplify "$size" "$tmp/amplified" || exit 1
	class=A seed=amplify
	for path in "$tmp/amplified"/*; do
		file=$(basename "$path") kind=$(basename "$path" .data)
		max_ms=0 max_kib=0 why='' what='' answer=-
		check_amplified "$path"
		one "$path"
		rm -f "$path"
	done
fi
if ! command -v sqlite3 > /dev/null; then
	echo "skipped: mutants: hostile databases: no sqlite3"
	skipped=$((skipped + 1))
elif ! build_databases 2> "$tmp/err"; then
	echo "FAILED: the databases cannot be made: $(head -n 3 "$tmp/err" "$tmp/out")"
	failed=$((failed + 1))
else
	class=A seed=database
	for database in "$tmp/db"/*.db; do
		file=$(basename "$database") kind=db-$(basename "$database" .db)
		max_ms=0 max_kib=0 why='' what='' answer=-
		check_database "$database"
		one "$database"
	done
fi
class=A seed=pipe kind=endless file=pipe max_ms=0 max_kib=0 why='' what='' answer=-
: > "$tmp/pipe"
for cmd in fold info "bundle -o $tmp/bundle"; do
	# shellcheck disable=SC2086 # words
	read_by $cmd - < /dev/zero || break
done
one "$tmp/pipe"

if [ -n "${V:-}" ] || [ "$N" -ge 500 ]; then
	echo "kinds of damage, N=$N SEED=$SEED, ${#sound_seeds[@]} recordings as seeds${SAN:+, SAN=$SAN}:"
	sort "$tmp/results" | awk -F '\t' '
		function row(k) {
			printf "%-19s %7d %5d %5d %5d %6d %6d %6d %5d %7d %5d %7d %9.1f %9.0f\n",
			       k, n[k], c[k, "E"], c[k, "V"], c[k, "M"], a[k, "0"], a[k, "5"],
			       w[k, "crash"], w[k, "hang"], w[k, "silent"], w[k, "lost"],
			       w[k, "error0"] + w[k, "status"] + w[k, "memory"], ms[k] / 1000, kib[k] / 1024
		}
		function add(k) {
			n[k]++; c[k, $2]++; a[k, $3]++; w[k, $4]++
			if ($5 > ms[k]) ms[k] = $5
			if ($6 > kib[k]) kib[k] = $6
		}
		BEGIN { printf "%-19s %7s %5s %5s %5s %6s %6s %6s %5s %7s %5s %7s %9s %9s\n",
			"kind", "mutants", "E", "V", "M", "exit 0", "exit 5",
			"crash", "hang", "silent", "lost", "status", "max CPU s", "peak MiB" }
		!($1 in n) { kinds[++k] = $1 }
		{ add($1); add("all") }
		END { for (i = 1; i <= k; i++) row(kinds[i]); row("all") }'
fi
finish
