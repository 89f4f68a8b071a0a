# sample reads two GPUs through the stand-in for NVML: power with a counter, utilisation and memory
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
HOTDRIFT_NVML=$(dirname "$HOTDRIFT")/tests/gpu/standin/nvml.so
export HOTDRIFT_NVML
[ -e "$HOTDRIFT_NVML" ] || { echo "the stand-in for NVML is not built" >&2; exit 77; }
export HOTDRIFT_STANDIN_NVML='devices=2'
hotdrift sample --power --gpu --interval 10 -o out -- true 2>err
grep '^gpu' err
jq -c '.gpu[]' out/sample.json
jq -c '.domains[] | {source, domain, method, wraps, quantity, counted}' out/power.json
head -n 1 out/gpu.csv
tail -n 2 out/gpu.csv | sed 's/^[0-9]*,/T,/'
hotdrift stats --json --column util_pct out/gpu.csv 2>/dev/null | jq -c '.columns.util_pct | {min, max}'
# one GPU does not report its energy, and one cannot be opened
export HOTDRIFT_STANDIN_NVML='devices=2 lost=1 no=energy,83,util'
hotdrift sample --power=nvml --gpu -o out -- true 2>err || echo "status $?"
grep '^gpu\|^no\|warning' err
