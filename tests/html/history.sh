#!/bin/sh
# history.sh DB [RUNS] - make a history with planted changes, with `hotdrift add`
#
# A new repository gets one commit per two runs.  Each run is folded text whose weights vary by a few per cent, and is
# added with `hotdrift add`.  The changes are planted at these parts of the history:
#     1/3   parse_row rises from 14 to 17 % of the cost, and the latency with it
#     1/2   decode is split into decode_hdr and codec_run
#     2/3   a leak: memory rises by a third
#     4/5   parse_row and the latency are repaired, and hash_probe falls from 7 to 5 %
# Nearly every run has CSV files of latency, memory and power.  The script inserts verdicts into the database itself.
# HOTDRIFT is the program.  The result is the same each time.
set -eu
db=$1 runs=${2:-120}
hotdrift=${HOTDRIFT:-hotdrift}
case $db in /*) ;; *) db=$PWD/$db ;; esac
tmp=$(mktemp -d "${TMPDIR:-/tmp}/hotdrift-history.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 6' HUP INT TERM
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null

git init -q -b main "$tmp/repo"
awk -v runs="$runs" 'BEGIN {
	split("parser: read the header once|cache: larger blocks|server: fewer wakeups|codec: split decode by kind|" \
	      "log: rotate by size|net: keep connections|parser: accept quoted rows|alloc: arena per request|" \
	      "docs: say what is true|tests: more rows", subject, "|")
	for (i = 0; i < runs / 2; i++) {
		s = subject[i % 10 + 1] (i >= 10 ? ", again (" int(i / 10) ")" : "")
		printf "commit refs/heads/main\ncommitter history <history@users.noreply.example> %d +0000\n",
			1767225600 + i * 43200
		printf "data %d\n%s\nM 100644 inline count\ndata %d\n%d\n", length(s), s, length(i) + 1, i
	}
}' | git -C "$tmp/repo" fast-import --quiet
git -C "$tmp/repo" reset -q --hard
git -C "$tmp/repo" rev-list --reverse main >"$tmp/commits"

# measure N: write the CSV files of run N
measure() {
	awk -v n="$1" -v runs="$runs" -v dir="$tmp" '
	function r() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
	function z() { return (r() + r() + r() + r() + r() + r() - 3) * 1.414 }
	BEGIN {
		seed = 104729 * (n + 1); r(); r(); at = n / runs
		slow = (at >= 1 / 3 && at < 4 / 5 ? 1.13 : 1) * (1 + 0.01 * z())
		leak = (at >= 2 / 3 ? 1.33 : 1) * (1 + 0.008 * z())
		print "sample_id,wall_time_us,kernel_time_us,seq_len" >dir "/latency.csv"
		for (i = 0; i < 400; i++) {
			us = 21000 * slow * exp(0.4 * z())
			printf "%d,%.1f,%.1f,128\n", i, us, us * 0.3 >dir "/latency.csv"
		}
		print "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes" >dir "/memory.csv"
		for (i = 0; i < 20; i++)
			printf "%d,%d,%d,%d,%d\n", i * 1e6, 312e6 * leak * (0.9 + 0.005 * i), 64e6, 30e6, 8e6 \
				>dir "/memory.csv"
		print "timestamp_us,watts" >dir "/power.csv"
		for (i = 0; i < 20; i++)
			printf "%d,%.2f\n", i * 1e6, 49 * (0.6 + 0.4 * slow) * (1 + 0.02 * z()) >dir "/power.csv"
	}'
}

cd "$tmp/repo"
n=0
while [ "$n" -lt "$runs" ]; do
	awk -v n="$n" -v runs="$runs" '
	function r() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
	function noise(cv) { return 1 + cv * (r() + r() + r() - 1.5) * 2 }
	function put(stack, w) { printf "%s %d\n", stack, w * 1000 * noise(0.015) }
	BEGIN {
		seed = 7919 * (n + 1); r(); r(); at = n / runs
		row = at >= 1 / 3 && at < 4 / 5 ? 160 : 120
		put("server;main;serve;handle_request;parse_request;parse_row", row)
		put("server;main;serve;handle_request;parse_request;parse_row;memchr", 45)
		put("server;main;serve;handle_request;parse_request;lex_token", 70)
		if (at < 1 / 2) put("server;main;serve;handle_request;decode", 110)
		else {
			put("server;main;serve;handle_request;decode", 22)
			put("server;main;serve;handle_request;decode;decode_hdr", 36)
			put("server;main;serve;handle_request;decode;codec_run", 53)
		}
		put("server;main;serve;handle_request;lookup;hash_probe", at >= 4 / 5 ? 40 : 61)
		put("server;main;serve;handle_request;lookup;hash_probe;memcmp", 28)
		put("server;main;serve;handle_request;render;std::fmt::write", 40)
		put("server;main;serve;handle_request;render;escape_html", 33)
		put("server;main;serve;handle_request;render;escape_html;memmove", 52)
		put("server;main;serve;handle_request;compress;deflate_block", 66)
		put("server;main;serve;handle_request;compress;deflate_block;longest_match", 75)
		put("server;main;serve;send_reply;writev;tcp_sendmsg", 38)
		put("server;main;serve;send_reply;writev;tcp_sendmsg;copy_from_user", 27)
		put("server;main;serve;epoll_wait", 18)
		put("server;main;alloc_arena", 16)
		put("server;main;alloc_arena;page_fault;clear_page", 31)
		put("logger;log_main;log_write", 14)
		put("logger;log_main;log_write;vsnprintf", 23)
		put("server;main;timer;expire_sessions", 9)
	}' >"$tmp/run.folded"
	measure "$n"
	sha=$(sed -n "$((n / 2 + 1))p" "$tmp/commits")
	time=$(date -u -d "@$((1767225600 + n * 21600 + n % 3 * 1700))" +%Y-%m-%dT%H:%M:%SZ)
	status=ok
	[ $((n % 41)) != 17 ] || status=failed
	set -- --latency "$tmp/latency.csv" --memory "$tmp/memory.csv" --power "$tmp/power.csv"
	[ $((n % 37)) != 19 ] || set --		# a run without CSV files
	"$hotdrift" add --db "$db" --target serve --commit "$sha" --recorded "$time" --status "$status" "$@" \
		"$tmp/run.folded" >/dev/null
	n=$((n + 1))
done

# Write a verdict for each run but the first two: FAIL where parse_row rises, SHIFT where decode is split, INCONCLUSIVE
# for some others.  Where parse_row rises, write a verdict for this symbol, too.
sqlite3 "$db" "
INSERT INTO drift_event (id, base_run, head_run, event, symbol_id, kind, verdict, base_pct, head_pct, change_pct, ci_lo,
  ci_hi, q, found_utc)
SELECT r.id, r.id - 2, r.id, 0, NULL, 'score',
       CASE WHEN r.id BETWEEN $runs / 3 + 1 AND $runs / 3 + 2 THEN 'FAIL'
            WHEN r.id BETWEEN $runs / 2 + 1 AND $runs / 2 + 2 THEN 'SHIFT'
            WHEN r.id % 19 = 0 THEN 'INCONCLUSIVE' ELSE 'PASS' END, NULL, NULL, NULL, NULL, NULL, NULL, r.recorded_utc
  FROM run r WHERE r.id > 2;
INSERT INTO drift_event (id, base_run, head_run, event, symbol_id, kind, verdict, base_pct, head_pct, change_pct, ci_lo,
  ci_hi, q, found_utc)
SELECT 100000 + r.id, r.id - 2, r.id, 0, s.id, 'cost', 'FAIL', 12.1, 15.4, 27.0, 22.0, 31.0, 0.0004, r.recorded_utc
  FROM run r, symbol s WHERE r.id BETWEEN $runs / 3 + 1 AND $runs / 3 + 2 AND s.name = 'parse_row';"
