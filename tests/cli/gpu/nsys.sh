# an export of Nsight Systems: kernels below the CPU stacks that launched them; tests/gpu/small.sql says what is in it
command -v sqlite3 >/dev/null || { echo "sqlite3 is not installed"; exit 77; }
sqlite3 export.sqlite <"$FIXTURES/../tests/gpu/small.sql"
hotdrift fold --event gpu-kernels export.sqlite
hotdrift fold --event gpu-sync --pid 100 --comm train export.sqlite
hotdrift top --demangle=full --event gpu-kernels export.sqlite
hotdrift top --weight samples --event gpu-copies export.sqlite
hotdrift info export.sqlite
hotdrift top --event gpu-kernels --json - <export.sqlite | grep weight
