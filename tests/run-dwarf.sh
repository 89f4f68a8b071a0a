#!/bin/bash
# run-dwarf.sh [FILE...] - compare the lines and inlined functions that dwarf/ finds with those that libdw finds
#
# tests/dwarf/libdw_oracle looks up N addresses (default 300, fixed seed) of each FILE with both readers.  Without FILE,
# the files are programs that are built here with each compiler and DWARF version, and objects of this machine that have
# debug information.  A machine without such objects still tests the programs.
set -u
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite dwarf
temporary_folder
oracle=$O/tests/dwarf/libdw_oracle
n=${N:-300}
if ! [ -x "$oracle" ]; then
	fail "no $oracle: run make check-dwarf"
	finish
fi

# compare FILE [WHAT]: test one file; WHAT is its name in messages
compare() {
	timeout "${TEST_TIMEOUT:-300}" "$oracle" "$1" "$n" > "$tmp/out" 2>&1
	case $? in
	0)	pass ;;
	3)	skip "${2:-$1}" "it has no debug information for its code" ;;
	*)	cat "$tmp/out"
		fail "${2:-$1}" "the readers differ" ;;
	esac
}

if [ $# -gt 0 ]; then
	for file; do
		compare "$(realpath "$file")"
	done
	finish
fi

# The program inlines functions from several kinds of scope: namespaces, classes, templates and a lambda.  It also has a
# switch and a loop; std::sort adds recursion.
cat > "$tmp/p.cc" <<'END'
#include <algorithm>
#include <string>
#include <vector>
volatile int sink;
namespace outer {
namespace { struct hidden { int v; int twice() const { return v * 2 + sink; } }; }
template <typename T> static inline T add(T a, T b) { T c = a; for (int i = 0; i < sink; i++) c += b; return c; }
struct shape {
	virtual ~shape() {}
	virtual int area(int x) { return add(x, hidden{x}.twice()); }
};
struct square : shape { int area(int x) override { return x * x + shape::area(x); } };
static inline int pick(int x)
{
	switch (x & 3) { case 0: return add(x, 1); case 1: return -x; default: return add(x, x); }
}
}
__attribute__((noinline)) int work(std::vector<std::string> &names, outer::shape &s)
{
	auto longer = [](const std::string &a, const std::string &b) {
		return a.size() + outer::pick(sink) > b.size();
	};
	std::sort(names.begin(), names.end(), longer);
	return s.area((int)names.size()) + outer::pick((int)names.size());
}
int main(int argc, char **argv)
{
	std::vector<std::string> names(argv, argv + argc);
	outer::square s;
	return work(names, s) & 1;
}
END
built=0
for compiler in g++ clang++; do
	command -v "$compiler" > /dev/null || { skip "programs of $compiler" "it is not installed"; continue; }
	for flags in "-O2 -gdwarf-2" "-O2 -gdwarf-3" "-O2 -gdwarf-4" "-O2 -gdwarf-5" "-O0 -gdwarf-5" \
		"-O3 -flto -gdwarf-5" \
		"-O2 -gdwarf-5 -gz" "-O2 -gdwarf-4 -ffunction-sections -Wl,--gc-sections" \
		"-O2 -gdwarf-5 -gsplit-dwarf"; do
		out=$tmp/p$built
		# shellcheck disable=SC2086	# words: flags
		if ! (cd "$tmp" && "$compiler" $flags -o "$out" p.cc) > "$tmp/log" 2>&1; then
			skip "$compiler $flags" "$(head -n 1 "$tmp/log")"
			continue
		fi
		built=$((built + 1))
		compare "$out" "$compiler $flags"
	done
done

objects=0
# Debug files that share a dwz file are compared, too: both readers follow the link.
while read -r file; do
	[ -f "$file" ] || continue
	readelf -SW "$file" 2> /dev/null | grep -q '\.debug_info' || continue
	objects=$((objects + 1))
	compare "$file"
done < <(
	printf '%s\n' "$O/hotdrift" "$O/libhotdrift-heap.so" "$O/libhotdrift-cuda.so"
	find /usr/lib/debug -name '*.debug' -size +16k 2> /dev/null | sort | head -n 60
	find /usr/lib /usr/local/lib -name '*.so*' -type f -size +64k 2> /dev/null | sort | head -n 2000
)
[ "$objects" -gt 3 ] || skip "objects of this machine" "none of them has debug information"
finish
