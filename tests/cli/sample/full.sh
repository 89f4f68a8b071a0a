# if one file cannot be written, the command still completes, the other files are written, and the exit status is 6
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
[ -c /dev/full ] || { echo "no /dev/full" >&2; exit 77; }
mkdir out
ln -s /dev/full out/memory.csv
s=0
hotdrift sample --power=constant:1 --memory -o out -- sh -c 'sleep 0.01; echo it ran to its end' 2>err || s=$?
echo "status $s"
grep -v '^sample\|^power\|^memory\|^cost\|^files' err
head -n 1 out/power.csv
rm -r out
mkdir out
ln -s /dev/full out/sample.json
hotdrift sample --power=constant:1 -o out -- echo again 2>&1 | grep 'error\|^again'
jq -c .status out/power.json
rm -r out
# if two files cannot be written, one is an error and the other a warning, and neither is listed as written
mkdir out
ln -s /dev/full out/power.json
ln -s /dev/full out/sample.json
hotdrift sample --power=constant:1 -o out -- true 2>&1 | grep 'error\|warning\|^files'
ln -s /dev/full out/memory.csv
rm out/power.csv
ln -s /dev/full out/power.csv
hotdrift sample --power=constant:1 --memory -o out -- true 2>&1 | grep 'error\|warning\|^files' || :
