#!/bin/bash
# run-foreign.sh - unwind stack copies of other architectures, whose programs run in an emulator
#
# tests/foreign/chain.c is compiled for each architecture and run by qemu-user.  It writes a recording of itself with
# one stack copy of main -> outer -> middle -> inner -> leaf, and hotdrift must find this chain.
set -u
export LC_ALL=C
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite foreign
temporary_folder

# ARCHITECTURE COMPILER EMULATOR.  For these architectures libdw unwinds, except for the last two, whose CFI hotdrift
# reads itself.
machines='riscv64 riscv64-linux-gnu-gcc qemu-riscv64-static
s390x s390x-linux-gnu-gcc qemu-s390x-static
ppc64le powerpc64le-linux-gnu-gcc qemu-ppc64le-static
ppc64 powerpc64-linux-gnu-gcc qemu-ppc64-static
aarch64 aarch64-linux-gnu-gcc qemu-aarch64-static
x86_64 x86_64-linux-gnu-gcc -'

# Compile and run chain.c; skip the architecture if that is not possible here.
record() { # MACHINE COMPILER EMULATOR OPTION...
	local machine=$1 compiler=$2 emulator=$3
	shift 3
	if ! command -v "$compiler" >/dev/null; then
		skip "$machine $*" "$compiler is not installed"
		return 1
	fi
	if [ "$emulator" = - ]; then
		emulator=
		if [ "$(uname -m)" != "$machine" ]; then
			skip "$machine $*" "this machine is another one"
			return 1
		fi
	elif ! command -v "$emulator" >/dev/null; then
		skip "$machine $*" "$emulator is not installed (Debian: qemu-user-static)"
		return 1
	fi
	mkdir -p "$tmp/$machine/opt"
	if ! "$compiler" -g -static -no-pie "$@" -o "$tmp/$machine/opt/chain" "$top/tests/foreign/chain.c" \
		2>"$tmp/log" ||
		! $emulator "$tmp/$machine/opt/chain" /opt/chain "$machine" \
		>"$tmp/$machine/perf.data" 2>>"$tmp/log"; then
		fail "$machine $*" "$(head -n 1 "$tmp/log")"
		return 1
	fi
}

fold() { # MACHINE: the stacks in $tmp/stacks, the warnings in $tmp/log
	"$hotdrift" fold --symfs "$tmp/$1" "$tmp/$1/perf.data" >"$tmp/stacks" 2>"$tmp/log"
}

while read -r machine compiler emulator <&3; do
	for level in -O0 -O2; do
		record "$machine" "$compiler" "$emulator" "$level" -fasynchronous-unwind-tables || continue
		fold "$machine"
		if grep -q 'cannot unwind the machine' "$tmp/log"; then
			skip "$machine $level" "the installed libdw has no unwinder for it"
			continue
		fi
		holds "$machine $level: the known chain" "$(cat "$tmp/stacks" "$tmp/log")" \
			grep -q ';main;outer;middle;inner;leaf 1$' "$tmp/stacks"
	done
done 3<<END
$machines
END

# ---- the child process ends: the sample keeps its innermost function, and the loss is counted

if record riscv64 riscv64-linux-gnu-gcc qemu-riscv64-static -O2 -fasynchronous-unwind-tables; then
	# a library that the child loads instead of libdw and that crashes
	mkdir "$tmp/lib"
	cat >"$tmp/crash.c" <<'END'
#define X(name) void dwfl_##name(void) { __builtin_trap(); }
X(begin) X(end) X(report_begin) X(report_end) X(report_elf) X(addrmodule) X(attach_state) X(getthread_frames)
X(frame_pc) X(thread_state_registers) X(thread_state_register_pc)
END
	sed 's/__builtin_trap()/for (volatile int i = 0;; i++)/' "$tmp/crash.c" >"$tmp/loop.c"
	echo 'int unused;' >"$tmp/absent.c"
	while read -r library text <&3; do
		gcc -shared -fPIC -o "$tmp/lib/libdw.so.1" "$tmp/$library.c"
		LD_LIBRARY_PATH=$tmp/lib fold riscv64
		holds "$library: the sample is kept" "$(cat "$tmp/stacks" "$tmp/log")" grep -q 'leaf 1$' "$tmp/stacks"
		holds "$library: the loss is reported" "$(cat "$tmp/log")" grep -q "$text" "$tmp/log"
	done 3<<-'END'
		crash libdw crashed 1 times
		loop reached its time limit 1 times
		absent libdw.so.1 is not installed or too old
	END
fi
finish
