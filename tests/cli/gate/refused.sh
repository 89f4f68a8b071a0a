# if sides cannot be compared, the message has the reason, and the exit status the kind of error
# shellcheck source=/dev/null
. "$(dirname "$0")/history.inc"
status hotdrift gate
ls
usually >usual
runs usual
commit other
echo '{"threads": 4}' >config.json
runs usual --config config.json
status hotdrift gate --db h.db
status hotdrift gate --db h.db --json | grep -E 'verdict|field'
status hotdrift gate --db h.db --base nowhere
status hotdrift gate --db h.db --head main --base main
status hotdrift gate --db h.db --limit ten
status hotdrift gate --db h.db --json --markdown
status hotdrift gate --db h.db --target nobody
printf '[target serve]\nlimits = symbols 5, speed 3\n' >hotdrift.ini
status hotdrift gate --db h.db | sed 's#/[^ ]*/hotdrift.ini#hotdrift.ini#'
