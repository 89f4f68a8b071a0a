# shellcheck shell=bash
# shellcheck disable=SC2034	# the sourcing script reads the variables
# server.sh - a private PostgreSQL server; sourced by tests/run-pg.sh and tests/bench/fleet.sh
#
#     pg_start FOLDER [OPTION...]   start a server whose data and socket are in FOLDER.  OPTIONs are those of postgres.
#                                   Sets pg_url.  Returns 1 if that is impossible here, and sets pg_why.
#     pg_stop                       stop it
#
# Variables: pg_bin: the folder of its programs.  pg_user: the words that run a command as the server's user, or none.

pg_bin='' pg_user='' pg_data='' pg_why=''

pg_start() {
	local folder=$1

	shift
	pg_bin=$(dirname "$(command -v postgres ||
		find /usr/lib/postgresql -name postgres -path '*/bin/*' 2> /dev/null | sort -V | tail -1)")
	[ -x "$pg_bin/initdb" ] || { pg_why="no postgres; Debian's package postgresql has it"; return 1; }
	if [ "$(id -u)" = 0 ]; then
		# The server refuses to run as root.
		id postgres > /dev/null 2>&1 || {
			pg_why='root cannot run a server, and there is no user postgres'
			return 1
		}
		pg_user='setpriv --reuid=postgres --regid=postgres --init-groups'
		chown postgres "$folder"
	fi
	chmod 711 "$folder"
	# $pg_user is split into words on purpose.
	# shellcheck disable=SC2086
	(cd "$folder" &&
		$pg_user "$pg_bin/initdb" -D "$folder/data" -U hotdrift -A trust -E UTF8 --locale=C --no-sync) \
		> "$folder/initdb.log" 2>&1 || { pg_why="initdb fails: $(tail -1 "$folder/initdb.log")"; return 1; }
	# shellcheck disable=SC2086
	(cd "$folder" && $pg_user "$pg_bin/pg_ctl" -D "$folder/data" -w -l "$folder/data/log" \
		-o "-c unix_socket_directories=$folder -c max_connections=100 $*" start) > "$folder/start.log" 2>&1 ||
		{ pg_why="the server does not start: $(tail -1 "$folder/start.log")"; return 1; }
	pg_data=$folder/data
	pg_url="postgresql://hotdrift@/postgres?host=$folder"
}

# shellcheck disable=SC2317	# traps call it
pg_stop() {
	# shellcheck disable=SC2086
	[ -z "$pg_data" ] || $pg_user "$pg_bin/pg_ctl" -D "$pg_data" -m immediate -w stop > /dev/null 2>&1
	pg_data=''
}
