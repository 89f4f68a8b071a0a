# gate writes a comment for a merge request, JUnit and SARIF, with names that contain markup
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
{ command -v xmllint && command -v jq; } >/dev/null || { echo "no xmllint, or no jq" >&2; exit 77; }
usually | sed 's/hash_probe/"><failure>|`\\\&#0]]>/' >usual
runs usual
commit slow
sed 's/\(failure.*\) 620/\1 930/' usual >slow
runs slow
status hotdrift gate --db h.db --markdown --junit gate.xml --sarif gate.sarif
xmllint --noout gate.xml && xmllint --xpath 'string(/testsuites/testsuite/@failures)' gate.xml
xmllint --xpath 'string(/testsuites/testsuite/testcase[failure]/@name)' gate.xml
[ "$(xmllint --xpath 'count(//testcase)' gate.xml)" = \
	"$(xmllint --xpath 'string(/testsuites/testsuite/@tests)' gate.xml)" ] && echo counted
# What SARIF 2.1.0 requires: version, a tool with a name, rules with ids, results with a message and a known level and
# rule.
jq -e '.version == "2.1.0" and (.runs | length == 1) and (.runs[0].tool.driver.name | length > 0)
	and ([.runs[0].tool.driver.rules[].id] | length == (unique | length))
	and all(.runs[0].results[]; (.message.text | length > 0) and (.level | IN("none", "note", "warning", "error"))
		and .ruleIndex as $i | .ruleIndex >= 0)' gate.sarif
jq -r '.runs[0] as $r | $r.results[] |
	"\(.level) \(.ruleId == $r.tool.driver.rules[.ruleIndex].id) \(.locations[0].logicalLocations[0].name)"' \
	gate.sarif
hotdrift gate --db h.db --no-record || true
hotdrift gate --db h.db --no-record --json | jq -r '.verdict, (.rows[] | select(.verdict == "FAIL") | .symbol)'
