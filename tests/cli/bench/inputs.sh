# bench gives two commands many inputs in batches; lines whose results differ are minimised and stored in a corpus
hotdrift bench --generate 3 --values 2 --seed 7
hotdrift bench --generate 2000 --seed 5 >a; hotdrift bench --generate 2000 --seed 5 -o b; cmp a b && wc -l <a
same() { status=0; hotdrift bench --json "$@" >out || status=$?; \
	jq -c '[.verdict, .inputs, .differ, .at_least, .batches]' out; echo "status $status"; }
same --generate 1000 --batch 300 -- cat -- cat
# exactly the lines with inf differ; minimising removes the other numbers of a line
bad='s/inf/1/g'
same --generate 400 --corpus corpus -- cat -- sed -E "$bad"
jq -c '.infinities == .differ, (.found[] | [.input, .base, .head, .stored])' out
find corpus -type f | wc -l
same --generate 400 --values 5 --seed 3 -- cat -- sed -E "$bad"
jq -c '.found[] | .input' out
# the next session tests the inputs of the corpus first
same --corpus corpus -- cat -- sed -E "$bad"
jq -c '.corpus, (.found[].stored)' out
same --corpus corpus -- cat -- cat
# if a command ends early, the whole batch is minimised
printf '1 2 3\n4 5 boom 6\n7 8\n' >in.txt
crash='while read -r l; do case $l in *boom*) exit 3;; esac; echo "$l"; done'
same --input in.txt --corpus crashes -- cat -- sh -c "$crash"
jq -c '.found[] | [.input, .base, .head]' out
# the result depends on an earlier line, so the minimum has two lines
seen='p=; while read -r l; do if [ "$p$l" = xy ]; then echo bad; else echo "$l"; fi; p=$l; done'
printf 'a\nx\ny\nb\nc\n' >in.txt
same --input in.txt --corpus pairs -- cat -- sh -c "$seen"
jq -c '.found[] | .input' out
# numbers within the tolerance are equal; other numbers are shortened as far as possible
echo 1234.5678 >in.txt
same --input in.txt --corpus tolerance -- cat -- sed 's/5678/56780001/'
same --input in.txt --corpus digits -- cat -- awk '{ print ($1 > 1000 ? $1 + 1 : $1) }'
jq -c '.found[] | [.input, .base, .head]' out
# the text form of the report
hotdrift bench --input in.txt --corpus digits -- cat -- awk '{ print ($1 > 1000 ? $1 + 1 : $1) }' || true
# invalid options
try() { status=0; hotdrift bench "$@" || status=$?; echo "status $status"; }
try --generate 0 -- a -- b
try --generate 5 -- true
try --generate 5 --seed x -- a -- b
try --generate 5 --values 0 -- a -- b
try --generate 5 --html x.html -- a -- b
try --generate 5 -- ./no-such-program -- cat
try --corpus no/folder -- cat -- cat
