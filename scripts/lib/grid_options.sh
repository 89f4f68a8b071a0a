# shellcheck shell=bash
# grid_options.sh - parse the command line of run_bench.sh, and determine its target and its output folder
# shellcheck disable=SC2034,SC2154	# shared with run_bench.sh

samples=100 output_dir='' lambda_text='0.2 0.4 0.6' tau_text='32 64 128' seed=42 eps=0.01
model_commit=none weights_hash='' compiler_flags='' power_asked=auto criteria=()

usage() {
	cat <<'END'
usage: run_bench.sh [options] [--] [CMD ARGS...]

Runs CMD once as the baseline and once for each pair of lambda and tau, compares the settings with the baseline, judges
criteria by exit status, and adds every run to the history.  Without CMD, the target of --target or the only target of
hotdrift.ini is run; without hotdrift.ini, and in the checkout of hotdrift, the demo: fixtures/workloads/attention.
docs/grids.md describes what CMD gets and writes.

grid:
  --lambda "L..."           values of lambda, separated by blanks or commas (default "0.2 0.4 0.6")
  --tau "T..."              values of tau (default "32 64 128")
  --samples N               samples of each setting (default 100)
  --seed S                  seed (default 42)
  --eps E                   eps (default 0.01)
  --model-commit TEXT, --weights-hash TEXT, --compiler-flags TEXT
                            other fields of the configurations (default none, seed-S and '')

criteria:
  --max-p95 PCT             p95 latency at most PCT per cent above the baseline (default 10)
  --min-kv-reduction PCT, --min-memory-reduction PCT, --min-energy-reduction PCT
                            KV cache, peak memory, energy per sample at least PCT per cent below the baseline
  --max-coherence-delta X, --min-accuracy X
                            limits of what CMD writes about its output
  --need every|one          every setting must meet each criterion, or one setting all of them (default every)

run:
  --target NAME             a target of hotdrift.ini: its build line runs first, and its run line unless CMD is given
  --ini FILE                another hotdrift.ini
  --no-build                do not run the build line
  --power SOURCE            what measures power, as in 'hotdrift sample --power=SOURCE'; none: nothing (default: what
                            can be read here)
  --output-dir D            output folder (default results/grid-TIME-COMMIT); if it has files, D-2, D-3, ...
  --db PATH|URL             the history (default: db of hotdrift.ini, or results/hotspots.db)
  --result-path FILE        write the path of the output folder to FILE

Exit: 0 the criteria are met; 1 one is missed; 2 usage; 3 one needs a value that was not measured, or the grid was
interrupted; 6 CMD failed for a setting, or other trouble.
END
}

usage_error() {
	local line

	printf 'usage: %s [options] [--] [CMD ARGS...]\n%s --help lists the options\n%s: error: %s\n' "$door" "$door" \
		"$me" "$1" >&2
	shift
	for line; do
		printf '  %s\n' "$line" >&2
	done
	exit 2
}

take_grid_flag() {	# OPTION
	[ "$1" = --no-build ] && build=no
}

take_grid_option() {	# OPTION VALUE
	case $1 in
	--lambda) lambda_text=$2 ;;
	--tau) tau_text=$2 ;;
	--samples) samples=$2 ;;
	--seed) seed=$2 ;;
	--eps) eps=$2 ;;
	--model-commit) model_commit=$2 ;;
	--weights-hash) weights_hash=$2 ;;
	--compiler-flags) compiler_flags=$2 ;;
	--max-p95 | --max-coherence-delta | --min-accuracy | --min-kv-reduction | --min-memory-reduction | \
		--min-energy-reduction)
		[[ $2 =~ ^-?$decimal$ ]] || usage_error "$1 takes a number, not '$2'"
		criteria+=("$1=$2") ;;
	--need)
		[ "$2" = every ] || [ "$2" = one ] || usage_error "--need takes every or one, not '$2'"
		criteria+=("--need=$2") ;;
	--target) target=$2 ;;
	--ini) ini=$2 ;;
	--power) power_asked=$2 ;;
	--output-dir) output_dir=$2 ;;
	--db) db=$2 ;;
	--result-path) result_path=$2 ;;
	*) usage_error "unknown option '$1'" ;;
	esac
	[ -n "$2" ] || case $1 in
	--compiler-flags | --model-commit) ;;
	*) usage_error "$1 needs a value" ;;
	esac
}

decimal='([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?'

# Set `plain` to the shortest text of a number, so that 0.50 and 5e-1 are one setting.  Returns 1 unless it is a finite
# number of at least 0.
plain=''
plain_number() {
	[[ $1 =~ ^$decimal$ ]] || return 1
	if [[ $1 =~ ^0*([0-9]{1,18})$ ]]; then
		plain=$((10#${BASH_REMATCH[1]}))
		return
	fi
	LC_ALL=C printf -v plain '%.9g' "$1" 2>/dev/null || return 1
	plain=${plain/+/}	# 1e10, because a name of the history has no plus sign
	[[ $plain =~ ^$decimal$ ]] && LC_ALL=C awk -v v="$plain" 'BEGIN { exit !(v + 0 < 3.4e38) }'
}

# Store the values of a list in the array $3, without duplicates.
read_list() {	# OPTION TEXT ARRAY
	local word words=() values=() seen=' '
	local -n list=$3

	read -r -d '' -a words <<<"${2//,/ }" || :	# read -a expands no file names
	for word in "${words[@]+"${words[@]}"}"; do
		plain_number "$word" ||
			usage_error "$1 takes finite numbers of at least 0, separated by blanks or commas, not '$word'"
		case $seen in
		*" $plain "*) warn "$1: $word is given more than once and runs once" ;;
		*) values+=("$plain") seen="$seen$plain " ;;
		esac
	done
	[ ${#values[@]} -gt 0 ] || usage_error "$1 has no values"
	list=("${values[@]}")
}

check_grid_options() {
	if ! [[ $samples =~ ^[1-9][0-9]{0,6}$ ]] || [ "$samples" -gt 1000000 ]; then
		usage_error "--samples takes a number from 1 to 1000000, not '$samples'"
	fi
	[[ $seed =~ ^[0-9]{1,18}$ ]] || usage_error "--seed takes a number of at most 18 digits, not '$seed'"
	seed=$((10#$seed))
	plain_number "$eps" || usage_error "--eps takes a finite number of at least 0, not '$eps'"
	eps=$plain
	read_list --lambda "$lambda_text" lambdas
	read_list --tau "$tau_text" taus
	[ $((${#lambdas[@]} * ${#taus[@]})) -le 9999 ] ||
		usage_error "${#lambdas[@]} x ${#taus[@]} settings are too many; a grid has at most 9999"
	weights_hash=${weights_hash:-seed-$seed}
}

# Neither a target nor a command was given: use the only target of hotdrift.ini.  (In the checkout of these scripts, the
# demo is used instead.)
only_grid_target() {
	local name lines=()

	if [ ${#ini_targets[@]} = 1 ]; then
		target=${ini_targets[0]}
		say "running the target $target of hotdrift.ini"
		return
	fi
	for name in "${ini_targets[@]+"${ini_targets[@]}"}"; do lines+=("$door --target $name"); done
	[ ${#lines[@]} -gt 0 ] || usage_error "nothing to run; give a command, or a target of hotdrift.ini" \
		"$door -- CMD"
	usage_error "no target given; hotdrift.ini has:" "${lines[@]}"
}

# Set the command, its folder, its build line, the results folder and the database.
settle_grid_target() {
	local status=0 given=("${command[@]+"${command[@]}"}") demo=$here/../fixtures/workloads/attention label=''

	if [ -n "$target" ] && [ ${#given[@]} -gt 0 ]; then
		# With CMD, --target may be a name that hotdrift.ini does not have; it is then only used in the history.
		read_ini "$target" 2>/dev/null || { label=$target; ini_build=''; read_ini '' || status=$?; }
	else
		read_ini "$target" || status=$?
	fi
	if [ "$status$target${given[*]:+given}" = 0 ] && ! [ "$ini_root" -ef "$here/.." ]; then
		only_grid_target
		read_ini "$target" || status=$?
	fi
	if [ "$status" != 0 ] && { [ -n "$target$ini" ] && [ -z "$label" ] || [ "$status" != 6 ]; }; then
		cat -- "$tmp/target.err" >&2
		exit "$status"
	fi
	work_dir=$PWD
	if [ -n "$target" ] && [ -z "$label" ]; then
		work_dir=${ini_root:-$PWD}/$ini_dir
		[ -d "$work_dir" ] || die 5 "the folder '$work_dir' of target $target does not exist"
		[ ${#given[@]} -gt 0 ] || [ -n "$ini_run" ] ||
			die 5 "target $target has no run command in hotdrift.ini; give one after --"
		[ ${#given[@]} -gt 0 ] || split_run "$ini_run"
	elif [ ${#given[@]} -gt 0 ]; then
		build=no
	elif [ -f "$demo/Makefile" ]; then
		work_dir=$(readlink -f -- "$here/..") target=attention ini_build='make --no-print-directory workloads'
		command=(build/workloads/attention/attention)
	else
		usage_error "nothing to run; give a command, or a target of hotdrift.ini" "$door -- CMD"
	fi
	[ ${#given[@]} = 0 ] || command=("${given[@]}")
	target=${target:-${command[0]##*/}}
	default_results
	db=${db:-$results/hotspots.db}
	case $db in
	*://* | /*) ;;
	*) db=$PWD/$db ;;
	esac
	case $db in
	*://*) ;;
	*) make_folder "${db%/*}/" || die 6 "cannot make the folder of the history '$db'" ;;
	esac
}

# Set `dir` to a new or empty folder.  Files of an earlier grid are never overwritten or mixed.
make_grid_dir() {
	local n=1 name=$output_dir at=${commit:0:12} time

	TZ=UTC0 printf -v time '%(%Y%m%dT%H%M%SZ)T' -1
	session=grid-$time-$$
	[ -n "$name" ] || name=$results/grid-$time-${at:-nocommit}
	absolute name "${name%/}"
	refuse_links "$name"
	make_folder "${name%/*}/" || die 6 "cannot make the folder of '$name'"
	dir=$name
	until mkdir -- "$dir" 2>/dev/null || { [ -d "$dir" ] && [ -z "$(ls -A -- "$dir")" ]; }; do
		[ -e "$dir" ] || [ -L "$dir" ] || die 6 "cannot make the folder '$dir'"
		n=$((n + 1))
		[ "$n" -le 1000 ] || die 6 "cannot make a folder beside '$name'"
		dir=$name-$n
	done
	[ "$n" = 1 ] || warn "'$name' has files, which are kept; this grid goes to '$dir'"
	mkdir -- "$dir/csv" "$dir/config" "$dir/log" "$dir/witness" || die 6 "cannot make folders in '$dir'"
	if command -v git >/dev/null 2>&1 && [ "$(quiet_git "$dir" rev-parse --is-inside-work-tree)" = true ] &&
		! quiet_git "$dir" check-ignore -q -- "$dir/csv"; then
		printf '*\n' >"$dir/.gitignore"
	fi
}
