# shellcheck shell=sh
# clock.sh - test whether perf's times can be compared with those of a program on this machine; sourced by tests

# perf -k CLOCK_MONOTONIC uses the clock of the machine.  A time namespace can give programs another one.
perf_has_our_clock() {
	[ ! -r /proc/self/timens_offsets ] ||
		awk '$1 == "monotonic" && ($2 || $3) { other = 1 } END { exit other }' /proc/self/timens_offsets
}
# shellcheck disable=SC2034	# used by the sourcing scripts
OTHER_CLOCK="perf's clock is not CLOCK_MONOTONIC of this time namespace"
