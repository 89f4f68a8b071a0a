# text fits the terminal, with names shortened in the middle; --wide and pipes show them whole; colours on request or on
# a terminal
command -v script >/dev/null || { echo "no script (util-linux)" >&2; exit 77; }
name=$(printf 'std::vector<std::pair<std::string, boost::multi_index<%s>>>::emplace_back' \
	"$(yes 'Inner<int>,' | head -20 | tr -d '\n')")
printf 'main;%s 70\nmain;short 30\n' "$name" >x.folded
unset NO_COLOR
export TERM=xterm
on() {	# COLUMNS COMMAND: on a terminal of this width
	script -qec "stty cols $1; $2" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b/ESC/g'
}
echo '== in 60 columns'
on 60 'NO_COLOR=1 hotdrift top x.folded'
on 60 'NO_COLOR=1 hotdrift report --by symbol x.folded'
echo '== never narrower than 40'
on 10 'NO_COLOR=1 hotdrift top x.folded' | tail -n 2
echo '== --wide, a pipe and a file have the whole name'
on 60 'NO_COLOR=1 hotdrift top --wide x.folded' | grep -cF "$name"
hotdrift top x.folded | grep -cF "$name"
on 60 'hotdrift top x.folded -o out.txt'; grep -cF "$name" out.txt
echo '== colours'
on 80 'hotdrift report --by comm x.folded'
on 80 'hotdrift report --by comm x.folded --color=never' | grep -c ESC || true
hotdrift report --by comm x.folded --color=always | sed -n 's/\x1b/ESC/gp'
NO_COLOR=1 on 80 'hotdrift report --by comm x.folded' | grep -c ESC || true
on 80 'hotdrift top nowhere'
hotdrift top x.folded --color=maybe 2>&1 || echo "status $?"
