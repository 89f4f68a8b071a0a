# --to is needed, and DHAT's format is for heap recordings
try() { status=0; hotdrift convert "$@" || status=$?; echo "status $status"; }
printf 'a;b 3\n' > folded.txt
try folded.txt
try folded.txt --to dhat
try folded.txt --to nothing
