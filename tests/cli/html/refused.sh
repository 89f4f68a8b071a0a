# invalid options and empty selections are errors, and no page is written
hotdrift html 2>&1 || echo "status $?"
printf 'main;f 10\n' >a.folded
hotdrift add --commit none --recorded 2026-11-20T00:00:00Z a.folded >/dev/null
for arguments in '--target none' '--branch none' '--since tomorrow' '--until 2026-11-32' '--since 2027-01-01' \
	'--runs none' '-o none/report.html' 'operand'; do
	# shellcheck disable=SC2086 # a command line, to be split
	hotdrift html $arguments 2>&1 || echo "status $?"
done
ls
