# two builds run in the order A B B A, base first; there are three ways to give their command lines
work='i=0; while [ $i -lt $1 ]; do i=$((i+1)); done; echo 1.25'
hotdrift bench -r 4 --json -- sh -c "$work" slow 300000 -- sh -c "$work" fast 1000 >bench.json
jq -c '[.sides[].name], [.runs[].side], .verdict, .outputs' bench.json
jq -c '.metrics.wall_time_us.speedup | [.ratio > 1, .median_ratio > 1, .ci[0] < .ratio, .ratio < .ci[1]]' bench.json
jq -c '.metrics.user_time_us.sides | [.[0].mean > .[1].mean]' bench.json
# command lines as texts, which are split into words without a shell
hotdrift bench -r 2 --json --base "printf '%s %s\\n' a 'b  c'" --head 'printf "%s %s\n" a "b  c"' |
	jq -c '[.sides[].command], .outputs[0].same, .outputs[0].bytes'
# the same command in two folders
mkdir old new
echo 'exit 0' >old/main.sh; cp old/main.sh new
hotdrift bench -r 2 --json --base-dir old --head-dir new -- sh main.sh | jq -c '[.sides[] | [.command, .dir]], .verdict'
# a shell is used only with --shell
hotdrift bench -r 2 --json --shell --base 'echo a | tr a b' --head 'echo b' |
	jq -c '[.sides[0].command], .outputs[0].same'
# a command with an argument --
hotdrift bench -r 2 --json --separator + -- printf '%s\n' -- x + printf '%s\n' -- x | jq -c '[.sides[].command]'
hotdrift bench -r 2 --json --separator '' -- printf '%s\n' -- x | jq -c '[.sides[].command]'
