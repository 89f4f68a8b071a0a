# roots.awk - decide by the names of the outermost frames whether a folded stack begins at a root
function is_root(name) {
	sub(/@.*/, "", name)
	return name ~ /^(main|_start|__libc_start_main|__libc_start_main_impl|__libc_start_call_main|_dl_start)$/ ||
		name ~ /^(_dl_start_user|start_thread|thread_start|(__GI_)?(__)?clone3?|ret_from_fork(_asm)?)$/
}
# Return 1 if one of the three outermost frames of the stack `comm;outer;...;inner` is a root, else 0.
function reaches_root(stack,   f, n, i) {
	n = split(stack, f, ";")
	for (i = 2; i <= n && i <= 4; i++)
		if (is_root(f[i]))
			return 1
	return 0
}
function unknown_frames(stack,   f, n, i, k) {
	n = split(stack, f, ";")
	for (i = 2; i <= n; i++)
		k += f[i] == "[unknown]" || f[i] ~ /^0x/
	return k + 0
}
