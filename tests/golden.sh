# shellcheck shell=sh
# golden.sh - the environment in which golden command lines (tests/cli) run; run-cli.sh and run-suggestions.sh source it
#
# Source it from the project's folder, with `suite` set to the word that begins the line of results.  It sets
#
#     top       the project's folder
#     tmp       a temporary folder, removed at the end; $tmp/fixtures is a link to fixtures/
#     program   the program under test: $HOTDRIFT, or hotdrift in O= (default build/)
#
# shellcheck disable=SC2034,SC2154	# shared with the sourcing script

# shellcheck source=tests/suite.sh
. tests/suite.sh
begin_suite "$suite" .
temporary_folder
program=$(readlink -f "$hotdrift") || program=''
needs_built "${program:-$hotdrift}"
ln -s "$top/fixtures" "$tmp/fixtures"
# Without this, each commit starts another git, which looks whether there is anything to clean up.
printf '[maintenance]\n\tauto = false\n' >"$tmp/gitconfig"

fresh_folders() {
	rm -rf "${tmp:?}/home" "${tmp:?}/work"
	mkdir "$tmp/home" "$tmp/work"
}

# in_work BIN [VAR=VALUE...] COMMAND...: replace this shell by the command, in $tmp/work, with the folder BIN first in
# PATH.
in_work() {
	bin=$1
	shift
	cd "$tmp/work" || exit
	case $1 in *=*) set -- env "$@" ;; esac
	exec env -i PATH="$bin:$top/scripts:$PATH" HOME="$tmp/home" TMPDIR="$tmp" LC_ALL=C TZ=UTC NO_COLOR=1 \
		HOTDRIFT_PAGER=cat FIXTURES=../fixtures HOTDRIFT="$program" GIT_CONFIG_NOSYSTEM=1 \
		GIT_CONFIG_GLOBAL="$tmp/gitconfig" GIT_CEILING_DIRECTORIES="$tmp" \
		${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} timeout "${TEST_TIMEOUT:-900}" "$@"
}
