#!/bin/bash
# stitching.sh [RECORDING...] - print a Markdown table of the cut stacks that are completed correctly and wrongly
#
# Each recording has stack copies of 64 KiB.  It is folded twice: with the full copies, which give the true stacks, and
# with copies that are shortened when they are read (HOTDRIFT_STACK_LIMIT).  The samples are the same, so each completed
# stack can be looked up among the true ones.
#
#   root, copy    stacks that reach their root within the copy
#   root, in all  the same, plus those that were completed from other samples
#   wrong         completed stacks that are not among the true ones.  This is a lower bound: stacks are counted over all
#                 samples, so two opposite errors cancel
#   unknown       completed stacks for which even 64 KiB are too small
#
# For `alternate`, whose stacks are known (fixtures/workloads/truth), `wrong` is exact.
#
#   LIMITS='1024 2048 4096 8192'   FREQUENCY=499 (of the compilers' runs, some 100 MB each)   KEEP=DIR
#
# Part of `make bench`; not of `make check`.
set -u
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
O=${O:-build}
case $O in /*) ;; *) O=$root/$O ;; esac
hotdrift=$O/hotdrift
bin=$O/workloads/truth
PERF=${PERF:-perf}
limits=${LIMITS:-1024 2048 4096 8192}
frequency=${FREQUENCY:-499}
root_names='^(_start|_*start_thread|_*(GI_)?_*clone[0-9]?|__start_context|_dl_start_user)$'

if [ -n "${KEEP:-}" ]; then
	dir=$KEEP
	mkdir -p "$dir" || exit 6
else
	dir=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-stitching.XXXXXX") || exit 6
	trap 'rm -rf "$dir"' EXIT
fi
[ -x "$hotdrift" ] || { echo "stitching: no $hotdrift: run make first" >&2; exit 6; }
command -v jq >/dev/null || { echo "skipped: stitching: jq is not installed"; exit 0; }

limited() {	# BYTES COMMAND...
	local bytes=$1
	shift
	HOTDRIFT_STACK_LIMIT=$bytes "$hotdrift" "$@" 2>/dev/null
}

# Print the weight that is completed wrongly, and the weight that cannot be judged.  $1 complete stacks, $2 the same
# samples after completion.
compare() {
	awk -v root="$root_names" '
		function split_line(   n) {
			match($0, / [0-9]+$/); weight = substr($0, RSTART + 1); stack = substr($0, 1, RSTART - 1)
			n = index(stack, ";"); outer = substr(stack, n + 1); comm = substr(stack, 1, n - 1)
			frames = outer; sub(/;.*/, "", outer)
			rooted = outer ~ root
		}
		{ split_line() }
		NR == FNR {
			if (rooted) whole[stack] += weight
			else { cut[stack] += weight; cut_comm[stack] = comm; cut_frames[stack] = frames }
			next
		}
		rooted { more[stack] += weight; of_comm[stack] = comm }
		END {
			for (s in more) {
				d = more[s] - whole[s]
				if (d <= 0) continue
				# Stacks whose inner frames are a stack that even the full copy does not contain.
				for (c in cut) {
					if (d == 0) break
					if (cut[c] == 0 || cut_comm[c] != of_comm[s]) continue
					f = ";" cut_frames[c]
					if (length(s) > length(f) && substr(s, length(s) - length(f) + 1) == f) {
						take = d < cut[c] ? d : cut[c]
						d -= take; cut[c] -= take; unknown += take
					}
				}
				wrong += d
			}
			print wrong + 0, unknown + 0
		}' "$1" "$2"
}

percent() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f %%", 100 * a / b; else printf "-" }'; }

rows() {	# NAME FILE
	local name=$1 file=$2 bytes all copy stitched wrong unknown
	limited 0 fold --weight samples --no-stitch "$file" >whole
	for bytes in $limits 0; do
		read -r all copy stitched < \
			<(limited "$bytes" info --json "$file" | \
			jq -r '.stacks | "\(.with_stack) \(.root_reached) \(.stitched_root)"')
		if [ "$bytes" = 0 ]; then
			wrong=- unknown=-
		elif [ "$name" = alternate ]; then
			limited "$bytes" fold --weight samples "$file" >folded
			wrong=$(awk '/;leaf_alternate_a [0-9]+$/ && !/;caller_a;/ && /^[^;]*;_start;/ { n += $NF }
				/;leaf_alternate_b [0-9]+$/ && !/;caller_b;/ && /^[^;]*;_start;/ { n += $NF }
				END { print n + 0 }' folded)
			wrong=$(percent "$wrong" "$stitched") unknown=$(percent 0 "$stitched")
		else
			limited "$bytes" fold --weight samples "$file" >folded
			read -r wrong unknown < <(compare whole folded)
			wrong=$(percent "$wrong" "$stitched") unknown=$(percent "$unknown" "$stitched")
		fi
		[ "$bytes" = 0 ] && bytes=65528
		printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$name" "$bytes" "$all" "$(percent "$copy" "$all")" \
			"$(percent $((copy + stitched)) "$all")" "$wrong" "$unknown"
		name=
	done
}

record() {	# NAME FREQUENCY COMMAND...
	local name=$1 frequency=$2
	shift 2
	"$PERF" record -N -q -F "$frequency" -m 1024 -e cpu-clock:u --call-graph dwarf,65528 -o "$name.data" -- "$@" \
		>"$name.log" 2>&1 ||
	"$PERF" record -N -q -F "$frequency" -e cpu-clock:u --call-graph dwarf,65528 -o "$name.data" -- "$@" \
	>"$name.log" 2>&1
}

# A C++ source with deep templates, which takes a compiler long.
cat >"$dir/busy.cc" <<'END'
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <tuple>
template <int N> struct deep {
	static auto make() { return std::tuple_cat(deep<N - 1>::make(), std::make_tuple(std::to_string(N))); }
};
template <> struct deep<0> { static auto make() { return std::make_tuple(0); } };
int main(int argc, char **argv)
{
	std::map<std::string, std::function<int(int)>> table;
	for (int i = 0; i < argc; i++)
		table[argv[i]] = [i](int x) {
			return std::regex_match(std::to_string(x + i), std::regex("[0-9]+(a|b)*"));
		};
	auto t = deep<40>::make();
	return (int)table.size() + std::get<0>(t);
}
END
cd "$dir" || exit 6
echo '| stacks | copy | samples | root, copy | root, in all | wrong | unknown |'
echo '|---|--:|--:|--:|--:|--:|--:|'
for file; do
	name=${file##*/}
	case $file in /*) ;; *) file=$OLDPWD/$file ;; esac
	rows "${name%.data}" "$file"
done
[ $# = 0 ] || exit 0

if ! "$PERF" record -N -q -e cpu-clock:u --call-graph dwarf -o probe.data -- true >/dev/null 2>&1; then
	echo "skipped: stitching: perf cannot record here"
	exit 0
fi
env -u MAKEFLAGS make -s -C "$root/fixtures/workloads/truth" O="$bin" "$bin/gcc/truth" || exit 6
record deep 2999 "$bin/gcc/truth" deep 1000000000 && rows deep deep.data
record alternate 2999 "$bin/gcc/truth" alternate 600000000 && rows alternate alternate.data
record wander 1499 "$bin/gcc/truth" wander 6000000000 && rows wander wander.data
record scatter 1499 "$bin/gcc/truth" scatter 3000000000 && rows scatter scatter.data
if command -v g++ >/dev/null && record cc1plus "$frequency" g++ -std=c++17 -O2 -c -o busy.o busy.cc; then
	rows g++ cc1plus.data
fi
if command -v clang++ >/dev/null && record clang "$frequency" clang++ -std=c++17 -O2 -c -o busy.o busy.cc; then
	rows clang++ clang.data
fi
exit 0
