#!/bin/bash
# run-package.sh - test `make install` and uninstall, completions, man pages and the source archive
#
# Completions are tested in bash, zsh and fish themselves.  The test of a missing shell is reported as skipped.
# `make deb` and packages in clean roots are tested by run-install.sh, because they take minutes.
set -eu

# The name of the build folder is part of what was built, so make must get it as it was given.  Otherwise it would link
# the program again while other suites run it.
given=${O:-build}
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite package
cd "$top"
needs_built "$hotdrift"
temporary_folder
PATH=$(dirname "$hotdrift"):$PATH
export PATH

# quiet COMMAND...: run it, and show its output only if it fails
quiet() {
	"$@" >"$tmp/log" 2>&1 </dev/null || { cat "$tmp/log"; return 1; }
}
# shellcheck disable=SC2317	# claim calls it
make_here() { quiet env -u MAKEFLAGS make --no-print-directory -s O="$given" DESTDIR="$tmp/root" PREFIX=/usr \
	LIBDIR=lib/arch "$@"; }
files() { (cd "$tmp/root" && find . ! -type d | sort); }

# ---- install and uninstall

mkdir -p "$tmp/root/usr/bin"
echo theirs >"$tmp/root/usr/bin/other"
label=install
linked=$(stat -c %y "$hotdrift")
claim "make install" make_here install
for f in bin/hotdrift libexec/hotdrift/profile.sh lib/arch/libhotdrift.so.1 lib/arch/pkgconfig/hotdrift.pc \
	include/hotdrift.h \
	share/man/man1/hotdrift-gate.1 share/man/man1/profile.sh.1 share/man/man5/hotdrift.ini.5 \
	share/bash-completion/completions/hotdrift share/zsh/vendor-completions/_hotdrift \
	share/fish/vendor_completions.d/hotdrift.fish share/doc/hotdrift/gate.md; do
	claim "$f" test -s "$tmp/root/usr/$f"
done
# shellcheck disable=SC2016	# the inner shell expands it
claim "no text has a path of this machine" sh -c '! grep -rlF "$1" "$2" --include="*.pc" --include="*.sh" \
	--include="hotdrift*.1"' - "$top" "$tmp/root"
claim "the installed program runs" quiet "$tmp/root/usr/bin/hotdrift" --version
claim "it finds the installed profile.sh" quiet "$tmp/root/usr/bin/hotdrift" profile --help
if command -v pkg-config >/dev/null; then
	printf '#include <%s>\n' hotdrift.h stdio.h >"$tmp/p.c"
	echo 'int main(void) { puts(hd_track_status_text(0)); return 0; }' >>"$tmp/p.c"
	# The words of pkg-config are separate arguments.
	# shellcheck disable=SC2016
	claim "a program is built by pkg-config" quiet env PKG_CONFIG_PATH="$tmp/root/usr/lib/arch/pkgconfig" \
		PKG_CONFIG_SYSROOT_DIR="$tmp/root" \
		sh -c '${CC:-cc} -o "$1/p" "$1/p.c" $(pkg-config --cflags --libs hotdrift) &&
		LD_LIBRARY_PATH="$1/root/usr/lib/arch" "$1/p"' - "$tmp"
fi
claim "make uninstall" make_here uninstall
holds "uninstall removes what install installed, and nothing else" "$(files | head -n 3)" test "$(files)" = \
	./usr/bin/other
claim "no folder of hotdrift is left" test -z "$(find "$tmp/root" -name '*hotdrift*')"
claim "uninstall without an installation" make_here uninstall
claim "the program was not linked again" test "$(stat -c %y "$hotdrift")" = "$linked"
label=

# ---- man pages

mkdir -p "$tmp/man/man1" "$tmp/man/man5"
hotdrift help --man-dir "$tmp/man/man1"
mv "$tmp/man/man1/hotdrift.ini.5" "$tmp/man/man5"
if command -v man >/dev/null; then
	wide='' complaints=''
	for page in "$tmp"/man/man*/*; do
		(cd "$tmp/man" && MANWIDTH=80 LC_ALL=C man --warnings=w -l "$page") 2>"$tmp/warnings" |
			col -bx >"$tmp/page" || :
		[ ! -s "$tmp/warnings" ] || complaints="$complaints ${page##*/}: $(head -n 1 "$tmp/warnings")"
		! grep -q '.\{81\}' "$tmp/page" || wide="$wide ${page##*/}"
		[ -s "$tmp/page" ] || complaints="$complaints ${page##*/}: is empty"
	done
	holds "man pages fit 80 columns" "$wide" test -z "$wide"
	holds "man has no complaints" "$complaints" test -z "$complaints"
else
	skip "man pages" "man is not installed"
fi
claim "each command has a page" test "$(hotdrift --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)" = \
	"$(find "$tmp/man/man1" -name 'hotdrift-*' | sed 's,.*/hotdrift-\(.*\)\.1,\1,' | sort)"

# ---- completion

mkdir "$tmp/checkout"
cd "$tmp/checkout"
git init -q . 2>/dev/null || :
printf '[target serve]\nrun = true\n[target batch]\nrun = true\n' >hotdrift.ini
for shell in bash zsh fish; do
	hotdrift help --completion $shell >"$tmp/completion.$shell"
done

# The output is larger than a stdio buffer.  Write it to a pipe whose reader ends early, and to a full disk.
# shellcheck disable=SC2016	# the inner shell expands it
claim "a closed pipe is no error" bash \
	-c 'hotdrift help --completion fish | head -n 1 >/dev/null; [ "${PIPESTATUS[0]}" = 0 ]'
ok "$(hotdrift help --completion fish 2>&1 >/dev/full | grep -q 'No space left'; echo $?)" \
	"a full disk is an error with its reason"

# in_bash WORD...: print the completions of the last word
in_bash() {
	# shellcheck disable=SC2016	# the inner shell expands it
	bash -c '. "$0"; COMP_WORDS=(hotdrift "$@"); COMP_CWORD=$#; _hotdrift; printf "%s\n" "${COMPREPLY[@]}"' \
		"$tmp/completion.bash" "$@" | tr '\n' ' '
}
in_fish() {
	fish -c "source '$tmp/completion.fish'; complete -C '$*'" | cut -f 1 | tr '\n' ' '
}
# in_zsh TEXT PATTERN: print "found" if TEXT and a tab make PATTERN appear
in_zsh() { TERM=dumb timeout 120 zsh -f "$top/tests/package/complete.zsh" "$tmp/completion.zsh" "$@" \
	2>/dev/null </dev/null; }
expect_words() {	# WHAT GOT WANT
	holds "$1" "got '$2', expected '$3'" test "$2" = "$3"
}

label=bash
expect_words "commands" "$(in_bash ga)" "gate "
expect_words "options" "$(in_bash fold --dem)" "--demangle "
expect_words "choices" "$(in_bash fold --demangle p)" "plain "
expect_words "choices after =" "$(in_bash fold --demangle = p)" "plain "
expect_words "modes" "$(in_bash profile as)" "async "
expect_words "targets" "$(in_bash gate --target '')" "serve batch "
expect_words "files are left to the shell" "$(in_bash flame -o '')" " "
expect_words "the program after --" "$(in_bash profile cpu -- --f)" " "
label=fish
if command -v fish >/dev/null; then
	expect_words "commands" "$(in_fish 'hotdrift ga')" "gate "
	expect_words "options" "$(in_fish 'hotdrift fold --dem')" "--demangle "
	expect_words "choices" "$(in_fish 'hotdrift fold --demangle p')" "plain "
	expect_words "targets" "$(in_fish 'hotdrift gate --target ')" "batch serve "
else
	skip "completion" "fish is not installed"
fi
label=zsh
if command -v zsh >/dev/null; then
	expect_words "commands" "$(in_zsh 'hotdrift ga' 'hotdrift gate')" found
	expect_words "options" "$(in_zsh 'hotdrift fold --dem' '--demangle=')" found
	expect_words "choices" "$(in_zsh 'hotdrift fold --demangle p' '--demangle plain')" found
else
	skip "completion" "zsh is not installed"
fi
label=

# ---- the source archive

cd "$top"
if git rev-parse -q --verify HEAD >/dev/null 2>&1; then
	archive() { quiet env -u MAKEFLAGS make --no-print-directory -s O="$1" dist && ls "$1"/hotdrift-*.tar.gz; }
	if first=$(archive "$tmp/dist-1") && second=$(archive "$tmp/dist-2"); then
		claim "a commit gives the same archive twice" cmp -s "$first" "$second"
		tar -tzf "$first" >"$tmp/content"
		ok "$(! grep -qE '/(build|results)/|\.o$' "$tmp/content"; echo $?)" "the archive has sources only"
		# shellcheck disable=SC2016	# the inner shell expands it
		claim "the archive has what the build needs" \
			sh -c 'grep -q /Makefile "$1" && grep -q /packaging/debian/rules "$1" &&
			grep -q /schema/001_init.sql "$1"' - "$tmp/content"
	else
		fail "make dist"
	fi
else
	skip "the source archive" "this is no git checkout"
fi
finish
