/*
 * fuzz_elf.c - read any bytes as a binary: its symbols, PLT stubs, link to a debug file, and lines
 *
 * The input is stored as a file below a symbol root.  Invariants: a symbol that a lookup returns covers the address
 * and has a name; a second lookup gives the same result.  In a Go program, each function that switches stacks is a
 * range that is not empty and is found by its start.
 */
#include "symbols/symbols.h"
#include "unwind/go_stacks.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char root[] = "/tmp/hd-fuzz-elf.XXXXXX";
static char file[sizeof(root) + 2];

static void clean_up(void)
{
	unlink(file);
	rmdir(root);
}

static void set_up(void)
{
	if (!mkdtemp(root))
		abort();
	snprintf(file, sizeof(file), "%s/f", root);
	atexit(clean_up);
	setenv("HOME", "/proc/nonexistent", 1);
	unsetenv("DEBUGINFOD_URLS");
}

static void ask(struct hd_symobj *o, uint64_t foff)
{
	struct hd_symbol_hit hit, again;
	struct hd_line_hit line, line_again;

	hd_object_lookup(o, foff, &hit);
	hd_object_lookup(o, foff, &again);
	if (hit.linkage != again.linkage || hit.start != again.start || hit.vaddr != again.vaddr)
		abort();
	if (hit.linkage && (!*hit.linkage || hit.vaddr < hit.start || hit.vaddr - hit.start >= hit.size))
		abort();
	hd_object_line(o, hit.vaddr, &line);
	hd_object_line(o, hit.vaddr, &line_again);
	if (line.file != line_again.file || line.line != line_again.line)
		abort();
	if (line.file && strlen(line.file) > 4096)
		abort();
}

static void ask_go_stacks(void)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct hd_go_stacks g;
	struct hd_elf *e;

	if (fd < 0 || hd_elf_open(&e, fd, file, NULL, NULL) < 0)
		return;
	hd_go_stacks_read(&g, e);
	for (unsigned i = 0; i < g.n; i++)
		if (g.at[i].start >= g.at[i].end || hd_go_stacks_find(&g, g.at[i].start) == HD_GO_OTHER)
			abort();
	hd_elf_close(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_symbols_opts opts = { .symfs = root };
	struct hd_symbols_key key = { .kind = HD_OBJ_FILE, .path = "/f" };
	struct hd_log log = { 0 };
	struct hd_symbols *sy;
	struct hd_symobj *o;
	int fd;

	if (!*file)
		set_up();
	fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	ask_go_stacks();
	sy = hd_symbols_new(&opts, &log);
	o = hd_symbols_object(sy, &key);
	if (hd_object_quality(o) == HD_SYMQ_NONE && !hd_object_problem(o))
		abort();
	for (uint64_t foff = 0; foff < size && foff < 8192; foff += 3)
		ask(o, foff);
	ask(o, size);
	ask(o, UINT64_MAX);
	hd_symbols_free(sy);
	hd_log_release(&log);
	return 0;
}
