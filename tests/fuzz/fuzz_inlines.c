/*
 * fuzz_inlines.c - read any bytes as a binary with inlined functions
 *
 * The same bytes are the binary below a symbol root, its .dwo file, its .dwp package and its alternate file, so that
 * one input can be all of them.  Invariants: a lookup returns at most MAX functions, each of them has a name, and a
 * second lookup returns the same.
 */
#include "symbols/symbols.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 24, LONGEST = 64 * 1024 };

static const char *const names[] = { "f", "f.dwo", "f.dwp", "f.alt" };
static char root[] = "/tmp/hd-fuzz-inlines.XXXXXX";
static char file[sizeof(root) + 8];

static void clean_up(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(file, sizeof(file), "%s/%s", root, names[i]);
		unlink(file);
	}
	rmdir(root);
}

static void set_up(void)
{
	char name[sizeof(file)];
	int fd;

	if (!mkdtemp(root))
		abort();
	snprintf(file, sizeof(file), "%s/f", root);
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	close(fd);
	for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(name, sizeof(name), "%s/%s", root, names[i]);
		if (link(file, name) < 0)
			abort();
	}
	atexit(clean_up);
	setenv("HOME", "/proc/nonexistent", 1);
	unsetenv("DEBUGINFOD_URLS");
}

static void ask(struct hd_symobj *o, uint64_t vaddr)
{
	static struct hd_inline_hit hits[MAX], again[MAX];
	size_t n = hd_object_inlines(o, vaddr, hits, MAX);

	if (n > MAX || hd_object_inlines(o, vaddr, again, MAX) != n)
		abort();
	for (size_t i = 0; i < n; i++) {
		if (hits[i].linkage != again[i].linkage || hits[i].call_file != again[i].call_file ||
			hits[i].call_line != again[i].call_line || hits[i].low != again[i].low ||
			hits[i].mangled != again[i].mangled)
			abort();
		if (!*hits[i].linkage || strlen(hits[i].linkage) > LONGEST ||
			(hits[i].call_file && strlen(hits[i].call_file) > LONGEST))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_symbols_opts opts = { .symfs = root };
	struct hd_symbols_key key = { .kind = HD_OBJ_FILE, .path = "/f" };
	struct hd_symbol_hit hit;
	struct hd_log log = { 0 };
	struct hd_symbols *sy;
	struct hd_symobj *o;
	int fd;

	if (!*file)
		set_up();
	fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	sy = hd_symbols_new(&opts, &log);
	o = hd_symbols_object(sy, &key);
	for (uint64_t foff = 0; foff < size && foff < 8192; foff += 5) {
		hd_object_lookup(o, foff, &hit);
		ask(o, hit.vaddr);
	}
	ask(o, UINT64_MAX);
	hd_symbols_free(sy);
	hd_log_release(&log);
	return 0;
}
