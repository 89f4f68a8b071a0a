# the source of the hottest function, found by --source-prefix: the root of a checkout is enough
copies=$FIXTURES/recordings/copies
annotate() { hotdrift annotate --symfs "$copies/symfs" "$copies/perf.data" "$@"; }
mkdir -p checkout/sub
cp "$FIXTURES/recordings/programs/copies.c" checkout
touch -d 2000-01-01 checkout/copies.c
annotate --source-only --source-prefix checkout
# other ways to find the file: perf's spelling of the option, and a substituted path
annotate --source-only --prefix checkout --prefix-strip 2 > a
annotate --source-only --source-prefix checkout > b
cmp a b
annotate --source-only --substitute-path "/opt/hd=$PWD/checkout" | sed "s:$PWD:PWD:" | head -n 3
# the file is not found at any other place
annotate --source-only
# other versions of the source: one that is newer than the object, then one that is shorter, too
touch -d 2100-01-01 checkout/copies.c
annotate --source-only --source-prefix checkout | sed -n 3p
head -n 12 "$FIXTURES/recordings/programs/copies.c" > checkout/copies.c
annotate --json --source-prefix checkout | jq -c '.symbols[0].files'
