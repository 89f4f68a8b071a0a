# libcrypto is loaded by the first hash, also in a confined process; commands that do not hash run without it
printf 'main;f 1\n' >short.folded
printf 'main;%03000d 1\n' 0 >long.folded
echo '{}' >config.json
mkdir lib
: >lib/libcrypto.so.3
hotdrift flame long.folded -o long.svg
grep -o '#[0-9a-f]\{16\}' long.svg | sort -u
export LD_LIBRARY_PATH=lib
hotdrift top short.folded
hotdrift hash config.json || echo "exited with status $?"
hotdrift flame long.folded -o none.svg || echo "exited with status $?"
ls
