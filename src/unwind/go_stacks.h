/*
 * go_stacks.h - find the functions of a Go program that change stacks, and the one at which a goroutine begins
 *
 * The runtime of Go runs its own code on the stack of the thread, and the program's on stacks of goroutines.  The
 * functions below move the stack pointer from one to the other before they call another function.  Their CFI does not
 * describe that (Go 1.19), so with it the unwinder would read the caller's frame from the wrong stack, which may hold
 * an old return address.  The code is in runtime/asm_amd64.s and runtime/sys_linux_amd64.s of Go.
 *
 *     mcall, morestack, systemstack           from a goroutine to the thread's stack
 *     asmcgocall, cgocallback                 to C on the thread's stack, and back
 *     nanotime1, walltime, walltime1, vgetrandom1, time.now    to the vdso on the thread's stack
 *
 * runtime.goexit is the outermost function of each goroutine.  Its CFI does not tell that, and the memory above its
 * frame may hold return addresses of an earlier use of the stack.
 *
 * Private to unwind/.
 */
#ifndef HD_UNWIND_GO_STACKS_H
#define HD_UNWIND_GO_STACKS_H

#include "elf/elf_file.h"

/* maximum: a name has up to two symbols, one of the assembly code and one of its wrapper */
enum { HD_GO_STACKS = 24 };

enum hd_go_function { HD_GO_OTHER, HD_GO_CHANGES_STACK, HD_GO_OUTERMOST };

struct hd_go_stacks {
	struct { uint64_t start, end; enum hd_go_function kind; } at[HD_GO_STACKS];	/* as linked */
	unsigned n;
};

/* Look up the functions in .symtab.  None is found if the file was not built by Go, or is stripped. */
void hd_go_stacks_read(struct hd_go_stacks *g, const struct hd_elf *e);
/* Return what the function at this address does; HD_GO_OTHER for all functions that are not listed above. */
enum hd_go_function hd_go_stacks_find(const struct hd_go_stacks *g, uint64_t vaddr);

#endif
