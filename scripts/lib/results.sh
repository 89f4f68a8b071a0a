# shellcheck shell=bash
# results.sh - create the results folder of a run, and write run.json
#
#     results/<time>-<commit>/
#         perf.data | heap.data  perf.hdb  folded.txt  flamegraph.svg  top5.txt
#         report.html  report.md  report.json  info.json
#         run.json  run.log  server.log
#     For the recordings of modes gpu and power see gpu.sh and power.sh.
#
# shellcheck disable=SC2034,SC2154	# shared with profile.sh

# Run git in folder $1 so that it starts no program that .git/config names, with the settings of
# src/history/git_command.c: neither hooks nor monitors, and no transport that could fetch an object.
quiet_git() (
	unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE LANGUAGE "${!GIT_TRACE@}"
	export LC_ALL=C GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none
	exec git --no-pager -c core.fsmonitor=false -c core.hooksPath=/dev/null -C "$1" "${@:2}" 2>/dev/null </dev/null
)

# Set `commit` (empty outside git) and `dirty` (true, false, unknown) of folder $1.  `hotdrift target` looks them up
# without running programs that .git/config names.
find_commit() {
	commit='' dirty=false
	local line

	while read -r line; do
		case $line in
		commit=*) commit=${line#*=} ;;
		dirty=*) dirty=${line#*=} ;;
		esac
	done < <(cd -- "$1" && exec "$hotdrift" target --checkout)
}

# Return 0 if less than 128 KiB are free for FILE, which could not be written.  `why` and `fix` then have the reason.
disk_is_full() {	# FILE
	local blocks size

	read -r blocks size < <(stat -f -c '%a %S' -- "${1%/*}" 2>/dev/null) || return 1
	[ $((blocks * size)) -lt 131072 ] || return 1
	why="cannot write '$(shown "$1")': the disk is full"
	fix=("free space on it, or give --results DIR to write to another disk")
}

# write_file FILE TEXT: write the file at once, or exit.
write_file() {
	{ printf '%s\n' "$2" >"$1.$$" && mv -f -- "$1.$$" "$1"; } 2>/dev/null || cannot_write "$1" "$1.$$"
}

cannot_write() {	# FILE PART
	rm -f -- "$2"
	disk_is_full "$1" || { why="cannot write '$(shown "$1")'" fix=(); }
	die 6 "$why" "${fix[@]+"${fix[@]}"}"
}

# Prevent accidental commits of recordings: inside a checkout, git ignores the results folder, or each run if the folder
# has files of the project.
keep_out_of_git() {
	command -v git >/dev/null 2>&1 || return 0
	quiet_git "$results" check-ignore -q -- "$run_dir/$artifact" && return 0
	[ "$(quiet_git "$results" rev-parse --is-inside-work-tree)" = true ] || return 0
	if [ -e "$results/.gitignore" ] || [ -L "$results/.gitignore" ] ||
		[ -n "$(quiet_git "$results" ls-files -- . | head -n 1)" ]; then
		write_file "$run_dir/.gitignore" '*'
	else
		write_file "$results/.gitignore" '*'
	fi
}

# Exit if the path $1 has a link in a world-writable sticky folder such as /tmp, and the link belongs to neither this
# user nor the owner of the folder.  Whoever owns such a link could redirect the results.  hotdrift checks its outputs
# in the same way.
refuse_links() {
	local rest=$1 at=. part target mode folder_uid link_uid hops=0
	local where='in a sticky folder that everybody can write; remove the link or name another folder'

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
		if [ $((8#$mode & 01002)) = $((01002)) ] && [ "$link_uid" != "$uid" ] &&
			[ "$link_uid" != "$folder_uid" ]; then
			die 6 "'$1' is not used: '$part' in it is a link of another user (uid $link_uid) $where"
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
	make_folder "$results" || die 6 "cannot make the results folder '$results'" \
		"--results DIR   names another"
	TZ=UTC0 printf -v name '%(%Y%m%dT%H%M%SZ)T-%s' -1 "${commit:0:12}"
	[ -n "$commit" ] || name=${name}nocommit
	run_dir=$results/$name
	while ! mkdir -- "$run_dir" 2>/dev/null; do
		n=$((n + 1))
		[ "$n" -le 100 ] || die 6 "cannot make a folder in '$results'" "--results DIR   names another"
		run_dir=$results/$name-$n
	done
	keep_out_of_git
}

# Set `samples`, `lost_tail`, `quality` (good, fair, poor; empty: unknown), `root_pct`, `unknown_pct` and `hidden` from
# info.json.  `hidden` is the number of stacks that lack the caller of their innermost function.
samples='' lost_tail=false quality='' root_pct=0 unknown_pct=0 hidden=0
read_info() {
	local grade='^\{"grade": "([a-z]*)", "root_pct": ([0-9.]*),.* "unknown_pct": ([0-9.]*)\}'

	[ -s "$run_dir/info.json" ] || return 0
	read_json "$run_dir/info.json"
	samples=${json[kept]:-} lost_tail=${json[lost_tail]:-false} hidden=${json[caller_hidden]:-0}
	[[ ! ${json[quality]:-} =~ $grade ]] ||
		quality=${BASH_REMATCH[1]} root_pct=${BASH_REMATCH[2]} unknown_pct=${BASH_REMATCH[3]}
}

text_or_null() { if [ -n "$1" ]; then json_string "$1"; else printf 'null'; fi; }

# Print lines of a JSON object.  An empty value is null.
text_keys() {	# KEY TEXT...
	while [ $# -gt 0 ]; do
		printf '  "%s": ' "$1"
		text_or_null "$2"
		printf ',\n'
		shift 2
	done
}

number_keys() {	# KEY NUMBER...
	while [ $# -gt 0 ]; do
		printf '  "%s": %s,\n' "$1" "${2:-null}"
		shift 2
	done
}

# Print run.json with one key per line, so that read_json can read it.
print_run_json() {
	local sum bytes bundle_bytes word comma=''

	sum=$(sha256sum -- "$recording")
	sum=${sum#\\}
	read -r -d '' bytes bundle_bytes <<<"$(exec stat -c %s -- "$recording" "$run_dir/perf.hdb" 2>/dev/null)" || :
	printf '{\n  "format": "hotdrift.run",\n  "version": 1,\n'
	text_keys target "$target" mode "$mode" recorder "$recorder" status "$run_status" reason "$reason"
	printf '  "command": ['
	for word in "${command[@]+"${command[@]}"}"; do
		printf '%s' "$comma"
		json_string "$word"
		comma=', '
	done
	printf '],\n'
	number_keys exit_status "$cmd_status"
	text_keys event "$event_used" event_asked "$event_asked"
	number_keys freq "$freq_used" period "$period_used"
	text_keys call_graph "$call_graph_used"
	number_keys interval "${heap_interval:-}"
	text_keys rss_source "${rss_source:-}" call_graph_asked "$call_graph_asked"
	number_keys stack_bytes "$stack_bytes" max_size "$max_bytes" duration "$duration" \
		cpu_seconds "$cpu_seconds"
	text_keys pid "$pids" server "$server"
	number_keys stopped_at_max_size "$stopped" samples "$samples" lost_tail "$lost_tail" \
		recording_ended_after "$ended_at"
	text_keys quality "$quality" commit "$commit"
	number_keys dirty "${dirty/unknown/null}"
	text_keys time "$started"
	number_keys record_seconds "$seconds"
	text_keys perf_version "$perf_version" hotdrift_version "$row_version" config "$config"
	printf '  "artifact": {"path": "%s", "bytes": %s, "sha256": "%s"},\n' "$artifact" "$bytes" "${sum%% *}"
	[ ! -s "$run_dir/perf.hdb" ] ||
		printf '  "bundle": {"path": "perf.hdb", "bytes": %s},\n' "$bundle_bytes"
	text_keys run "$run"
	printf '  "db": '
	text_or_null "$db_used"
	printf '\n}'
}

write_run_json() {
	read_info
	write_file "$run_dir/run.json" "$(print_run_json)"
}
