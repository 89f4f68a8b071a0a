# outputs of two builds are bit-identical, equal within the tolerance, or different
same() { status=0; hotdrift bench -r 2 -w 0 --json "$@" >out || status=$?; jq \
	-c '[.verdict, (.outputs[] | [.name, .same, .difference])]' out; echo "status $status"; }
same -- echo 1.5 -- printf '1.5\n'
same -- echo 'loss 1.0000001 of 3' -- echo 'loss  1.0000002 of 3'
same -- echo 1.01 -- echo 1.02
same --tolerance 0.1 -- echo 1.01 -- echo 1.02
same -- echo 100 -- echo 101
same --abs-tolerance 0.001 -- echo 0.0 -- echo 1e-9
same -- echo nan -- echo 1.0
same --no-compare -- echo 1 -- echo 2
# outputs are compared as bytes, and hostile bytes are escaped in the report
same -- printf 'a\033[31m\377\000b' -- printf 'a\033[31m\376\000b'
# if the output of one build varies from run to run, it is not compared
echo 0 >n
status=0; hotdrift bench -r 2 -w 0 --json --shell --base 'read n <n; echo $((n + 1)) | tee n' --head 'cat n' >out ||
	status=$?
jq -c '[.verdict, .outputs[0].same]' out; echo "status $status"
# --output-file compares files that the runs write
same --output-file result.txt -- sh -c 'echo 2.5 >result.txt' -- sh -c 'echo 2.50 >result.txt'
same --output-file result.txt -- sh -c 'echo 2.5 >result.txt' -- sh -c 'echo 2.6 >result.txt'
status=0; hotdrift bench -r 2 -w 0 --output-file result.txt -- true >out || status=$?
grep -c '^failed .*did not write result.txt' out; echo "status $status"
