# a callgrind profile is read: compressed names, relative positions, calls, jumps, two events, two parts, inlined lines
cat >callgrind.out <<'END'
# callgrind format
version: 1
creator: callgrind-3.19.0
pid: 10
cmd:  ./app --fast
part: 1

positions: line
events: Ir Dw
summary: 750 7

ob=(1) /usr/bin/app
fl=(1) app.c
fn=(1) main
10 100 2
+2 40
cfn=(2) work
calls=3 20
+1 600 5
cob=(2) /usr/lib/libc.so.6
cfi=(2) ???
cfn=(3) memcpy
calls=1 0
* 60 1

fn=(2)
20 200 1
jump=3 22
20
jcnd=1/4 22
fi=(3) list.h
5 100
fe=(1)
-1 50
cob=(2)
cfn=(3)
calls=10 0
* 200 3
cfn=(2)
calls=1 20
* 50

ob=(2)
fl=(2)
fn=(3)
0 260 4

part: 2
events: Ir
ob=(1)
fl=(1)
fn=(1)
10 1
calls=1 1
not a line
END
hotdrift fold callgrind.out
hotdrift fold --event Dw callgrind.out 2>/dev/null
hotdrift top callgrind.out 2>/dev/null
hotdrift report --by symbol,line callgrind.out 2>/dev/null
printf 'version: 1\nevents: Ir\n' >empty.out
hotdrift top empty.out || echo "status $?"
# addresses are no lines
printf 'positions: instr\nevents: Ir\n\nfl=a.c\nfn=main\n0x401000 7\n' >instr.out
hotdrift report --by symbol,line instr.out
