# shellcheck shell=bash
# results.sh - create the results folder of a run, and write run.json
#
#     results/<time>-<commit>/
#         perf.data | heap.data  perf.hdb  folded.txt  flamegraph.svg  top5.txt  report.md  report.json  info.json  run.json
#         run.log  server.log
#
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

quiet_git() { git --no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null -C "$1" "${@:2}" 2>/dev/null </dev/null; }

# Set `commit` (empty outside git) and `dirty` (true, false, unknown) of folder $1.  `hotdrift target` looks them up without
# running programs that .git/config names.
find_commit() {
	commit='' dirty=false
	local line

	while read -r line; do
		case $line in
		commit=*) commit=${line#*=} ;;
		dirty=*) dirty=${line#*=} ;;
		esac
	done < <(cd -- "$1" && "$hotdrift" target --checkout)
}

# Prevent accidental commits of recordings: inside a checkout, git ignores the results folder, or each run if the folder
# has files of the project.
keep_out_of_git() {
	command -v git >/dev/null 2>&1 || return 0
	[ "$(quiet_git "$results" rev-parse --is-inside-work-tree)" = true ] || return 0
	quiet_git "$results" check-ignore -q -- "$run_dir/$artifact" && return 0
	if [ -n "$(quiet_git "$results" ls-files -- . | head -n 1)" ]; then
		printf '*\n' >"$run_dir/.gitignore"
	elif [ ! -e "$results/.gitignore" ] && [ ! -L "$results/.gitignore" ]; then	# do not follow a link
		printf '*\n' >"$results/.gitignore"
	else
		printf '*\n' >"$run_dir/.gitignore"
	fi
}

# Exit if a link in the path $1 belongs to another user and is in a world-writable sticky folder such as /tmp, because that
# user could redirect the results.  hotdrift checks its outputs in the same way.
refuse_links() {
	local rest=$1 at=. part target mode folder_uid link_uid uid hops=0

	uid=$(id -u)
	[ "${rest#/}" = "$rest" ] || at=/
	while rest=${rest#"${rest%%[!/]*}"} && [ -n "$rest" ]; do
		part=${rest%%/*}
		rest=${rest#"$part"}
		if [ ! -L "$at/$part" ]; then
			at=$at/$part
			continue
		fi
		read -r mode folder_uid < <(stat -c '%a %u' -- "$at/")
		link_uid=$(stat -c %u -- "$at/$part")
		if [ $((8#$mode & 01002)) = $((01002)) ] && [ "$link_uid" != "$uid" ] && [ "$link_uid" != "$folder_uid" ]; then
			die 6 "'$1' is not used: '$part' in it is a link of another user (uid $link_uid) in a sticky folder that everybody can write; remove the link or name another folder"
		fi
		hops=$((hops + 1))
		[ "$hops" -le 40 ] || die 6 "'$1': too many levels of symbolic links"
		target=$(readlink -- "$at/$part")
		rest=$target/$rest
		[ "${target#/}" = "$target" ] || at=/
	done
}

# Set `run_dir` to a new folder, which is unique even if two runs start within a second.
make_run_dir() {
	local name n=1

	refuse_links "$results"
	mkdir -p -- "$results" || die 6 "cannot make the results folder '$results'"
	name=$(date -u +%Y%m%dT%H%M%SZ)-${commit:0:12}
	[ -n "$commit" ] || name=${name}nocommit
	run_dir=$results/$name
	while ! mkdir -- "$run_dir" 2>/dev/null; do
		n=$((n + 1))
		[ "$n" -le 100 ] || die 6 "cannot make a folder in '$results'"
		run_dir=$results/$name-$n
	done
	keep_out_of_git
}

sha256_of() {
	local sum

	sum=$(sha256sum -- "$1") || return 1
	sum=${sum#\\}
	printf '%s' "${sum%% *}"
}

# Set `quality` (good, fair, poor; empty: unknown), `root_pct`, `unknown_pct` and `hidden` from info.json.
# `hidden` is the number of stacks that lack the caller of their innermost function.
quality='' root_pct=0 unknown_pct=0 hidden=0
read_quality() {
	local all

	[ -s "$run_dir/info.json" ] || return 0
	all=$(sed -n 's/^  "quality": {"grade": "\([a-z]*\)", "root_pct": \([0-9.]*\),.* "unknown_pct": \([0-9.]*\)}.*/\1 \2 \3/p' "$run_dir/info.json")
	[ -z "$all" ] || read -r quality root_pct unknown_pct <<<"$all"
	hidden=$(sed -n 's/^    "caller_hidden": \([0-9]*\),$/\1/p' "$run_dir/info.json")
}

json_or_null() { if [ -n "$1" ]; then json_string "$1"; else printf 'null'; fi; }

# Write run.json with one key per line, so that sed can read it.
write_run_json() {
	local sum bytes word samples='' lost_tail=false comma='' new=$run_dir/run.json.new

	[ ! -s "$run_dir/info.json" ] || samples=$(sed -n 's/^    "kept": \([0-9]*\),$/\1/p' "$run_dir/info.json")
	! grep -q -s '^    "lost_tail": true' "$run_dir/info.json" || lost_tail=true
	read_quality
	sum=$(sha256_of "$recording")
	bytes=$(stat -c %s -- "$recording")
	{
		printf '{\n  "format": "hotdrift.run",\n  "version": 1,\n'
		printf '  "target": %s,\n' "$(json_string "$target")"
		printf '  "mode": "%s",\n  "recorder": "%s",\n  "status": "%s",\n' "$mode" "$recorder" "$run_status"
		printf '  "reason": %s,\n' "$(json_or_null "$reason")"
		printf '  "command": ['
		for word in "${command[@]+"${command[@]}"}"; do
			printf '%s' "$comma"
			json_string "$word"	# no subshell per word: there may be thousands
			comma=', '
		done
		printf '],\n  "exit_status": %s,\n' "${cmd_status:-null}"
		printf '  "event": %s,\n' "$(json_or_null "$event_used")"
		printf '  "event_asked": %s,\n' "$(json_or_null "$event_asked")"
		printf '  "freq": %s,\n  "period": %s,\n' "${freq_used:-null}" "${period_used:-null}"
		printf '  "call_graph": %s,\n' "$(json_or_null "$call_graph_used")"
		printf '  "interval": %s,\n' "${heap_interval:-null}"
		printf '  "rss_source": %s,\n' "$(json_or_null "${rss_source:-}")"
		printf '  "call_graph_asked": %s,\n' "$(json_or_null "$call_graph_asked")"
		printf '  "stack_bytes": %s,\n  "max_size": %s,\n' "${stack_bytes:-null}" "${max_bytes:-null}"
		printf '  "duration": %s,\n  "cpu_seconds": %s,\n' "${duration:-null}" "${cpu_seconds:-null}"
		printf '  "pid": %s,\n  "server": %s,\n' "$(json_or_null "$pids")" "$(json_or_null "$server")"
		printf '  "stopped_at_max_size": %s,\n  "samples": %s,\n' "$stopped" "${samples:-null}"
		printf '  "lost_tail": %s,\n' "$lost_tail"
		printf '  "recording_ended_after": %s,\n' "${ended_at:-null}"
		printf '  "quality": %s,\n' "$(json_or_null "$quality")"
		printf '  "commit": %s,\n  "dirty": %s,\n' "$(json_or_null "$commit")" "${dirty/unknown/null}"
		printf '  "time": "%s",\n  "record_seconds": %s,\n' "$started" "${seconds:-null}"
		printf '  "perf_version": %s,\n' "$(json_or_null "${perf_version:-}")"
		printf '  "hotdrift_version": %s,\n' "$(json_or_null "$hotdrift_version")"
		printf '  "config": %s,\n' "$(json_or_null "$config")"
		printf '  "artifact": {"path": "%s", "bytes": %s, "sha256": "%s"},\n' "$artifact" "$bytes" "$sum"
		if [ -s "$run_dir/perf.hdb" ]; then
			printf '  "bundle": {"path": "perf.hdb", "bytes": %s},\n' "$(stat -c %s -- "$run_dir/perf.hdb")"
		fi
		printf '  "run": %s,\n  "db": %s\n}\n' "$(json_or_null "$run")" "$(json_or_null "${db_used:-}")"
	} >"$new" && mv -f -- "$new" "$run_dir/run.json"
}
