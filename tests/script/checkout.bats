#!/usr/bin/env bats
# checkout.bats - test which files of a checkout owned by another user are used, and that none of its programs is
# started

load helper

setup() {
	in_empty_folder
	command -v git >/dev/null || skip 'no git'
	export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.invalid
	export GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.invalid
	unset HOTDRIFT_TRUST HOTDRIFT_DB
	EVIL=$BATS_TEST_TMPDIR/evil MARK=$BATS_TEST_TMPDIR/started
	printf '#!/bin/sh\necho "$0 $*" >>%s\ncat\n' "$MARK" >"$EVIL"
	chmod +x "$EVIL"
}

make_checkout() {
	git init -q -b trunk . && echo 1 >a && echo 1 >b && git add . && git commit -q -m first
}

state() { "$HOTDRIFT" target --checkout | tr '\n' ' ' | sed 's/commit=[0-9a-f]\{40\}/commit/'; }

# Make the index entry out of date while the content is unchanged.
touch_all() { touch -d '2020-01-01' -- "$@"; }

as_root() { [ "$(command id -u)" = 0 ] || skip 'not root'; }
other_owner() { chown -R 12345 "$@"; }

# ---- programs

@test "no key of .git/config that names a program starts one: add, gate, target, profile.sh" {
	git init -q -b trunk module
	(cd module && echo '* filter=inner' >.gitattributes && echo 1 >m && git add . && git commit -q -m module)
	printf 'a filter=evil diff=evil merge=evil\nb filter=ev=il diff=evil\n' >.gitattributes
	echo '*.o' >.gitignore
	make_checkout
	git -c protocol.file.allow=always submodule add -q ./module sub
	git commit -q -m module
	git -C sub config filter.inner.clean "$EVIL inner"
	# Make a partial clone without the first commit, whose promisor remote is reached through a program.
	for key in filter.evil.clean filter.evil.smudge filter.evil.process filter.ev=il.clean filter.ev=il.process \
		core.fsmonitor core.pager core.editor core.askPass core.sshCommand core.gitProxy \
		core.alternateRefsCommand pager.log pager.status pager.config diff.external \
		diff.evil.command diff.evil.textconv merge.evil.driver gpg.program gpg.ssh.program \
		gpg.x509.program credential.helper sequence.editor interactive.diffFilter \
		uploadpack.packObjectsHook remote.origin.uploadpack remote.origin.receivepack \
		remote.origin.vcs alias.log alias.status alias.rev-parse browser.x.cmd difftool.x.cmd \
		mergetool.x.cmd man.x.cmd trailer.x.command sendemail.smtpServer submodule.sub.update \
		hook.x.command; do
		git config "$key" "$EVIL $key"
	done
	git config submodule.sub.update "!$EVIL"
	for key in filter.evil.required filter.ev=il.required log.showSignature commit.gpgSign \
		remote.origin.promisor; do
		git config "$key" true
	done
	git config hook.x.event post-index-change
	git config status.submoduleSummary true
	git config extensions.partialClone origin
	git config remote.origin.url "ext::$EVIL ext"
	git config protocol.ext.allow always
	git config protocol.allow always
	git config core.hooksPath "$BATS_TEST_TMPDIR/hooks"
	mkdir -p "$BATS_TEST_TMPDIR/hooks"
	for hook in post-index-change pre-auto-gc reference-transaction post-checkout fsmonitor-watchman; do
		cp "$EVIL" "$BATS_TEST_TMPDIR/hooks/$hook"
	done
	echo 2 | tee a >b
	touch_all sub/m
	rm -f "$MARK"

	run -0 --separate-stderr "$HOTDRIFT" target --checkout
	contains "$output" 'dirty=unknown'
	contains "$stderr" "2 files with a filter were not checked for changes, the first is 'a'"
	run -0 "$HOTDRIFT" add "$SHIPPED/perf.data" --target t --db h.db
	run "$HOTDRIFT" gate --db h.db
	run "$HOTDRIFT" gate --db h.db --base trunk~1
	fake perf
	FAKE_RECORDING=$SHIPPED/perf.data run -0 profile.sh cpu -- true
	[ "$(of_run .dirty)" = null ]
	[ ! -e "$MARK" ] || { cat "$MARK" >&2; false; }
	# A missing object must not be fetched by a program, neither the .gitignore of the index nor a commit.
	object=$(git rev-parse :.gitignore)
	# git itself runs the filter of a file that is as new as the index, so this call does not see the keys.
	mv .git/config config
	git update-index --skip-worktree .gitignore
	mv config .git/config
	rm -f .gitignore ".git/objects/${object:0:2}/${object:2}" "$MARK"
	printf '#!/bin/sh\necho "$0 $*" >>%s\n' "$MARK" >"$EVIL"	# without cat, which would wait for git
	FAKE_RECORDING=$SHIPPED/perf.data run -0 profile.sh cpu --no-db -- true
	[ ! -e "$MARK" ] || { cat "$MARK" >&2; false; }
	object=$(git rev-parse 'HEAD~1')
	rm -f ".git/objects/${object:0:2}/${object:2}"
	run "$HOTDRIFT" gate --db h.db --base "$object"
	run "$HOTDRIFT" target --checkout
	[ ! -e "$MARK" ] || { cat "$MARK" >&2; false; }
	# Without hotdrift, git would run the programs in these keys.
	git status >/dev/null 2>&1 || :
	[ -e "$MARK" ]
}

@test "gate_commits.sh starts no hook and no monitor of the checkout that it builds" {
	printf '[target t]\nrun = true\nbuild = false\n' >hotdrift.ini
	make_checkout
	git commit -q --allow-empty -m second
	git config core.fsmonitor "$EVIL monitor"
	cp "$EVIL" .git/hooks/post-checkout
	cp "$EVIL" .git/hooks/post-index-change
	rm -f "$MARK"
	run -6 gate_commits.sh --base HEAD~
	contains "$output" 'the base cannot be built: false'
	[ ! -e "$MARK" ] || { cat "$MARK" >&2; false; }
}

@test "gate_commits.sh builds and runs lines of hotdrift.ini that have several lines" {
	fake_line hotdrift "[ \"\$1\" != bench ] || { printf '%s' \"\$*\" >&2; exit 1; }; exec $HOTDRIFT \"\$@\""
	printf '[target t]\nbuild = word=built\n  echo "$word"\nrun = word=run\n  test -n "$word"\n' >hotdrift.ini
	make_checkout
	git commit -q --allow-empty -m second
	HOTDRIFT='' run -6 gate_commits.sh --base HEAD~
	[ "${lines[*]:0:2}" = 'built built' ]
	contains "$output" $'--shell -- word=run\ntest -n "$word"'
	printf '[target u]\nrun = true\n' >>hotdrift.ini
	git commit -q -a -m third
	HOTDRIFT='' run -2 gate_commits.sh --base HEAD~
	contains "$output" 'hotdrift.ini has several targets'
}

@test "gate_commits.sh exits with 6, not with that of a FAIL, if it cannot write; --out does not depend on CDPATH" {
	fake_line hotdrift "case \$1 in bench) ;; gate) echo PASS ;; *) exec $HOTDRIFT \"\$@\" ;; esac"
	printf '[target t]\nrun = true\n' >hotdrift.ini
	make_checkout
	git commit -q --allow-empty -m second
	mkdir -p report elsewhere/report
	(cd report && HOTDRIFT=../../fakes/hotdrift run -0 gate_commits.sh --base HEAD~)
	HOTDRIFT='' TMPDIR=$PWD/none run -6 gate_commits.sh --base HEAD~
	contains "$output" 'a temporary folder cannot be made'
	HOTDRIFT='' run -6 --separate-stderr bash -c 'gate_commits.sh --base HEAD~ >/dev/full'
	contains "$stderr" 'the verdict cannot be printed'
	HOTDRIFT='' run -6 bash -c 'gate_commits.sh --base HEAD~ >&-'
	HOTDRIFT='' CDPATH=$PWD/elsewhere run -0 gate_commits.sh --base HEAD~ --out report
	[ "$(cat report/gate.txt)" = PASS ]
	ln -s -f /dev/full report/gate.txt
	HOTDRIFT='' run -6 gate_commits.sh --base HEAD~ --out report
	contains "$output" 'gate.txt cannot be written to'
}

@test "gate_commits.sh removes its own work trees only, not one whose folder is absent for now" {
	printf '[target t]\nrun = true\nbuild = false\n' >hotdrift.ini
	make_checkout
	git commit -q --allow-empty -m second
	git worktree add -q ../mine HEAD
	mv ../mine ../unplugged
	run -6 gate_commits.sh --base HEAD~
	mv ../unplugged ../mine
	[ "$(git worktree list | wc -l)" = 2 ]
	git -C ../mine status
}

@test "a file with a filter is not checked when its index entry is out of date, and is never called modified" {
	printf '*.bin filter=up\n' >.gitattributes
	git config --global filter.up.clean 'tr a-z A-Z'
	git config --global filter.up.smudge 'tr A-Z a-z'
	echo data >x.bin
	touch -d '2019-01-01' x.bin	# git reads a file again if it is as new as the index
	make_checkout
	[ "$(state)" = 'commit dirty=false ' ]
	touch_all x.bin
	run -0 "$HOTDRIFT" target --checkout
	contains "$output" "1 files with a filter were not checked for changes, the first is 'x.bin'"
	contains "$output" 'dirty=unknown'
	mkdir deep
	(cd deep && run -0 "$HOTDRIFT" target --checkout && contains "$output" 'dirty=unknown')
	touch -d '2019-01-02' x.bin
	git status >/dev/null
	[ "$(state)" = 'commit dirty=false ' ]
	# Changes that git can determine without a filter are reported.
	touch_all x.bin
	echo 2 >a
	[ "$(state)" = 'commit dirty=true ' ]
	git checkout -q a
	rm x.bin
	[ "$(state)" = 'commit dirty=true ' ]
}

@test "Git LFS: a fresh checkout is not modified, and git-lfs is not started" {
	command -v git-lfs >/dev/null || skip 'no git-lfs'
	git lfs install --skip-repo >/dev/null
	printf '*.bin filter=lfs diff=lfs merge=lfs -text\n' >.gitattributes
	head -c 5000 /dev/zero >x.bin
	make_checkout
	git -c protocol.file.allow=always clone -q . ../clone
	cd ../clone
	cmp -s x.bin ../work/x.bin
	touch -d '2019-01-01' x.bin
	git update-index --refresh -q
	[ "$(state)" = 'commit dirty=false ' ]
	touch_all x.bin
	fake_line git-lfs "echo started >>'$MARK'; exit 1"
	run -0 "$HOTDRIFT" target --checkout
	contains "$output" 'dirty=unknown'
	[ ! -e "$MARK" ]
	echo more >>x.bin
	contains "$(state 2>&1)" 'not checked'
}

@test "autocrlf: conversions of git itself are made, so a checkout with CRLF is not modified" {
	git init -q -b trunk .
	git config core.autocrlf true
	printf 'one\r\ntwo\r\n' >text
	git add . 2>/dev/null
	git commit -q -m first
	touch_all text
	[ "$(state)" = 'commit dirty=false ' ]
	printf 'one\r\n2\r\n' >text
	[ "$(state)" = 'commit dirty=true ' ]
}

@test "a submodule at another commit is a change; one with changes inside is not entered" {
	git init -q -b trunk module
	(cd module && echo 1 >m && git add . && git commit -q -m module && echo 2 >m && git commit -q -a -m second)
	make_checkout
	git -c protocol.file.allow=always submodule add -q ./module sub
	git commit -q -m module
	echo 3 >sub/m
	[ "$(state)" = 'commit dirty=false ' ]
	git -C sub checkout -q -f HEAD~1
	[ "$(state)" = 'commit dirty=true ' ]
}

# ---- owners

@test "a hotdrift.ini of another owner starts nothing and chooses no database: target, bench, push, profile.sh" {
	as_root
	printf '[hotdrift]\ndb = %s/theirs.db\nremote = %s/remote.db\n[target t]\nrun = touch %s\nbuild = touch %s\n' \
		"$PWD" "$PWD" "$MARK" "$MARK" >hotdrift.ini
	other_owner hotdrift.ini
	trust="to trust this folder, type: git config --global --add safe.directory $PWD"
	for words in 'target' 'target t' 'bench --target t' 'log' 'push'; do
		# shellcheck disable=SC2086	# words
		run -5 "$HOTDRIFT" $words
		contains "$output" "hotdrift.ini belongs to an unknown user (uid 12345), so it is not used; $trust"
	done
	run -5 profile.sh cpu --target t
	run -5 profile.sh
	contains "$output" 'belongs to an unknown user'
	[ ! -e "$MARK" ] && [ ! -e theirs.db ] && [ ! -e remote.db ]
	# The target is named, so the user has decided.
	run -0 "$HOTDRIFT" target t --file hotdrift.ini
	run -0 "$HOTDRIFT" target t --file "$PWD/hotdrift.ini"
	# other commands work
	fake perf
	FAKE_RECORDING=$SHIPPED/perf.data run -0 profile.sh cpu -- true
	contains "$output" 'belongs to an unknown user'
	[ -e results/hotspots.db ] && [ ! -e theirs.db ]
	run -0 "$HOTDRIFT" top "$SHIPPED/perf.data"
}

@test "limits of another owner's hotdrift.ini are ignored with a warning" {
	as_root
	printf '[target t]\nlimits = symbols 900\n' >hotdrift.ini
	other_owner hotdrift.ini
	"$HOTDRIFT" add "$SHIPPED/perf.data" --target t --db h.db --commit none >/dev/null
	run "$HOTDRIFT" gate --db h.db --no-record
	contains "$output" 'warning:'
	contains "$output" 'belongs to an unknown user (uid 12345), so it is not used'
}

@test "a link to our own file in another owner's folder is another owner's" {
	as_root
	printf '[target t]\nrun = true\n' >ours.ini
	ln -s ours.ini hotdrift.ini
	run -0 "$HOTDRIFT" target
	chown -h 12345 hotdrift.ini
	run -5 "$HOTDRIFT" target
}

@test "owners that are accepted: SUDO_UID for root, safe.directory, HOTDRIFT_TRUST, for the folder or its checkout" {
	as_root
	make_checkout
	mkdir sub
	printf '[target t]\nrun = true\n' | tee hotdrift.ini >sub/hotdrift.ini
	other_owner .
	run -5 "$HOTDRIFT" target
	SUDO_UID=12345 run -0 "$HOTDRIFT" target
	[ "$(SUDO_UID=12345 state)" = 'commit dirty=false ' ]
	SUDO_UID=12346 run -5 "$HOTDRIFT" target
	SUDO_UID=12345x run -5 "$HOTDRIFT" target
	for trust in "$PWD" "$PWD/" "/nonexistent:$PWD" '*' "${PWD%/*}/*" "$PWD:"; do
		HOTDRIFT_TRUST=$trust run -0 "$HOTDRIFT" target
		[ "$(HOTDRIFT_TRUST=$trust state)" = 'commit dirty=false ' ]
		(cd sub && HOTDRIFT_TRUST=$trust run -0 "$HOTDRIFT" target)
	done
	for trust in "$PWD/sub" '/nonexistent' "${PWD%/*}" '' ':' '.' "${PWD#/}"; do
		HOTDRIFT_TRUST=$trust run -5 "$HOTDRIFT" target
	done
	# The checkout's own configuration cannot trust itself.
	git -c safe.directory="$PWD" config safe.directory '*'
	run -5 "$HOTDRIFT" target
	git config --global --add safe.directory "$PWD"
	run -0 "$HOTDRIFT" target
	(cd sub && run -0 "$HOTDRIFT" target)
	git config --global --add safe.directory ''
	run -5 "$HOTDRIFT" target
}

@test "the line that is to be typed works" {
	as_root
	mkdir "a folder"
	cd "a folder"
	printf '[target t]\nrun = true\n' >hotdrift.ini
	other_owner .
	run -5 "$HOTDRIFT" target
	line=${output#*type: }
	sh -c "${line%%, or:*}"
	run -0 "$HOTDRIFT" target
	git config --global --unset-all safe.directory
	run -0 sh -c "${line#*, or: }; '$HOTDRIFT' target"
}

@test "a .git of another owner above a folder does not choose its database" {
	as_root
	git init -q .
	mkdir -p deep
	cd deep
	other_owner ../.git
	run -5 "$HOTDRIFT" log
	contains "$output" "/.git belongs to"
	run "$HOTDRIFT" log --db none.db
	[ "$status" = 6 ]
}

@test "a bind mount of another owner's checkout: HOTDRIFT_TRUST or safe.directory accepts the mount point" {
	as_root
	make_checkout
	printf '[target t]\nrun = true\n' >hotdrift.ini
	other_owner .
	mkdir ../mounted
	cat >../inside <<-END
		mount --bind "$PWD" "$BATS_TEST_TMPDIR/mounted" && cd "$BATS_TEST_TMPDIR/mounted" || exit 77
		"$HOTDRIFT" target; echo \$?
		HOTDRIFT_TRUST=\$PWD "$HOTDRIFT" target; echo \$?
		HOTDRIFT_TRUST=\$PWD "$HOTDRIFT" target --checkout
		git config --global --add safe.directory "\$PWD"
		"$HOTDRIFT" target; echo \$?
	END
	run unshare -m sh ../inside
	[ "$status" != 77 ] && [ "$status" != 1 ] || skip 'mounting is not allowed'
	[ "$(printf '%s\n' "${lines[@]}" | grep -c '^t  true$')" = 2 ]
	[ "${lines[1]}" = 5 ]
	contains "$output" 'dirty=false'
}

@test "sudo: root accepts the checkout of the user who called it" {
	as_root
	command -v sudo >/dev/null || skip 'no sudo'
	make_checkout
	printf '[target t]\nrun = true\n' >hotdrift.ini
	chmod 755 "$BATS_TEST_TMPDIR"
	other_owner .
	run -0 env SUDO_UID=12345 SUDO_GID=0 "$HOTDRIFT" target
	# sudo sets SUDO_UID itself: here the user is root.
	run -5 sudo HOME="$HOME" "$HOTDRIFT" target
	contains "$output" 'uid 12345'
	chown -R 0 .
	run -0 sudo "$HOTDRIFT" target
}
