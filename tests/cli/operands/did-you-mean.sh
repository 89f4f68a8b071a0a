# messages have a hint "did you mean" for commands, options, words of options, symbols and targets
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
runs usual
export HOTDRIFT_DB=h.db
status hotdrift histroy
status hotdrift help dif
status hotdrift top latest --limti 3
status hotdrift top latest --formt=json
status hotdrift top latest --format jsno
status hotdrift history parse_rwo
status hotdrift diff latest~1 latest --symbol parse_rwo
status hotdrift ack parse_rwo --reason x
status hotdrift gate --target sevre
status hotdrift log --target sevre
status hotdrift show latest:sevre
printf '[target serve]\nrun = true\n' >hotdrift.ini
status hotdrift target sevre | sed 's#/[^ ]*/hotdrift.ini#hotdrift.ini#'
# a word that resembles no name gets no hint
status hotdrift frobnicate
status hotdrift top latest --frobnicate
# commands of perf whose task has another name here
status hotdrift record -- true
status hotdrift script
# without an operand and without ./perf.data, the message names both ways to give an input
status hotdrift top
# a selection that selects nothing names a function or object of the recording that resembles it
calls=$FIXTURES/recordings/calls
printf 'main;parse_row 7\n' >run.folded
status hotdrift top run.folded --symbol parse_rwo
status hotdrift flame latest --symbol parse_rwo
for command in top report flame fold; do
	status hotdrift "$command" "$calls/perf.data" --symfs "$calls/symfs" --symbol wrok
done
status hotdrift top "$calls/perf.data" --symfs "$calls/symfs" --dso clals
status hotdrift top "$calls/perf.data" --symfs "$calls/symfs" --symbol main
