# the exit status of drift reports any change, also a shift; a side is a commit, a branch, runs or `latest`
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
runs usual
commit same
runs usual
commit rename
sed 's/decode 800/decode_fast 800/' usual >rename
runs rename
status hotdrift drift --db h.db main same
status hotdrift drift --db h.db main rename
status hotdrift drift --db h.db main latest --json | grep -E '^ *"(format|verdict|how|top5)"|^status'
status hotdrift drift --db h.db 20261120T1011,20261120T1012,20261120T1013 20261120T1016,20261120T1017,20261120T1018
status hotdrift drift --db h.db 20261120T1011 20261120T1021
status hotdrift drift --db h.db main main
status hotdrift drift --db h.db
hotdrift drift --db h.db main rename --markdown | grep "^###"
