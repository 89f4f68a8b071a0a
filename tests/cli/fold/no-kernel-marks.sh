# --no-kernel warns if no frame of the input is marked as kernel code
printf 'app;main;do_syscall_64 10\n' >unmarked.folded
printf 'app;main;do_syscall_64_[k] 10\n' >marked.folded
hotdrift fold --no-kernel unmarked.folded
hotdrift fold --no-kernel marked.folded
hotdrift convert marked.folded --to speedscope -o s.json
hotdrift fold --no-kernel s.json
# the placeholder of an unknown object, [folded], is not the kernel
hotdrift convert unmarked.folded --to perf-script -o text
hotdrift fold --no-kernel text
