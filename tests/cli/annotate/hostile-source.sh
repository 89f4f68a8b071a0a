# debug information can name any file: only files with the suffix of a source file are read, and control bytes are shown
command -v gcc >/dev/null || { echo "gcc is not installed" >&2; exit 77; }
command -v perf >/dev/null || { echo "perf is not installed" >&2; exit 77; }
printf 'unsigned n;\n# 1 "%s/secret"\nvoid hide(void) { for (unsigned i = 0; i < 400000000u; i++) n += i; }\n' "$PWD" \
	> program.c
printf '# 1 "%s/shown.c"\nint main(void) { for (unsigned i = 0; i < 400000000u; i++) n += i; hide(); }\n' "$PWD" \
	>> program.c
printf 'the key\n' > secret
printf 'shown \033[31m\there "\\n" \377\n' > shown.c
gcc -O0 -g program.c -o program
perf record -q -F 999 -e cpu-clock:u -o p.data ./program >perf.log 2>&1 ||
	{ echo "perf cannot record here" >&2; exit 77; }
hotdrift annotate p.data hide --json | jq -c '[.symbols[0].files[0].problem, ([.symbols[0].lines[].text] | unique)]'
hotdrift annotate p.data main --source-only | sed -n 's/^ *[0-9.]*  *1  /1: /p'
# the file is below a folder that the user named
hotdrift annotate p.data hide --json --source-prefix . | jq -c '[.symbols[0].lines[].text] | unique'
