/*
 * object_code.c - find and read the code of an object; see annotation_build.h
 */
#include "annotate/annotation_build.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "elf/demangle.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Open the file in which `symbols` finds the code of an object.  Returns false with the reason in `err`. */
static bool open_elf(struct hd_object_code *c, const struct hd_symbols *symbols, const struct hd_symbols_key *key,
	struct hd_err *err)
{
	/* this log is discarded: the same warnings were logged when the symbols were loaded */
	struct hd_log unused = { 0 };
	struct stat st;
	int fd = hd_symbols_open_code(symbols, key, err);
	bool ok = fd >= 0 && hd_elf_open(&c->elf, fd, key->path, &unused, err) >= 0;

	hd_log_release(&unused);
	if (!ok)
		return false;
	c->elf->log = NULL;
	if (fstat(c->elf->fd, &st) == 0)
		c->mtime_ns = hd_file_mtime_ns(&st);
	return true;
}

/* Return the reason why an object of this kind has no file with its code; NULL if it can have such a file. */
static const char *codeless(enum hd_object_kind kind)
{
	switch (kind) {
	case HD_OBJ_PERFMAP:
		return "The code was generated at run time, and a perf map has names but no code, so only addresses "
			"are shown: let the JIT compiler write a jitdump.";
	case HD_OBJ_KSYM: return "The kernel generated this code at run time, so there are no instructions.";
	case HD_OBJ_UNKNOWN:
	case HD_OBJ_ANON: return "The code is in memory without a file, so there are no instructions.";
	case HD_OBJ_KERNEL:
	case HD_OBJ_MODULE:
	case HD_OBJ_FILE:
	case HD_OBJ_JIT:
	case HD_OBJ_VDSO: break;
	}
	return NULL;
}

/* Append the first bytes, at most `max`, of a file in /proc or /sys, whose size is unknown before it is read. */
static void read_head(struct hd_buf *out, const char *path, size_t max)
{
	int fd = hd_file_open(path, NULL);
	ssize_t n = fd < 0 ? -1 : hd_file_pread(fd, hd_buf_reserve(out, max), max, 0, path, NULL);

	if (n > 0)
		out->len += (size_t)n;
	if (out->data)
		out->data[out->len] = '\0';
	if (fd >= 0)
		close(fd);
}

/*
 * Return true if `key` is a kernel, and this machine still runs it and has not rebooted since the recording.  The
 * running kernel must have its build-id, and the symbol _text or _stext its recorded address.  Both symbols are near
 * the start of /proc/kallsyms, so only the first bytes of that file are read.
 */
static bool is_running(const struct hd_symbols_key *key)
{
	struct hd_buf notes = { 0 }, list = { 0 };
	char line[2][64];
	bool same;

	snprintf(line[0], sizeof(line[0]), "%016llx T _text\n", (unsigned long long)key->kernel_pgoff);
	snprintf(line[1], sizeof(line[1]), "%016llx T _stext\n", (unsigned long long)key->kernel_pgoff);
	read_head(&notes, "/sys/kernel/notes", 64 << 10);
	read_head(&list, "/proc/kallsyms", 1 << 20);
	same = key->kind == HD_OBJ_KERNEL && key->build_id_len && key->kernel_pgoff && notes.len &&
		memmem(notes.data, notes.len, key->build_id, key->build_id_len) &&
		(strstr(hd_buf_str(&list), line[0]) || strstr(hd_buf_str(&list), line[1]));
	hd_buf_release(&notes);
	hd_buf_release(&list);
	return same;
}

/*
 * Open a kcore file with the addresses of the recorded boot.  If the symbols are from the kallsyms file that `perf
 * record --kcore` copied, it is the kcore file of that copy.  If they are from /proc/kallsyms, or if is_running(), it
 * is /proc/kcore.  Returns false, with c->problem, if there is none or if it cannot be opened.
 */
static bool open_kcore(struct hd_object_code *c, const struct hd_symbols_key *key)
{
	static const char live[] = "/proc/kallsyms", copied[] = "/kcore_dir/kallsyms";
	const char *source = hd_object_source(c->symbols);
	size_t n = strlen(source), tail = sizeof(copied) - 1;
	struct hd_log unused = { 0 };
	struct hd_buf path = { 0 };
	struct hd_err err = { 0 };
	int fd = -1;

	if (n > tail && !strcmp(source + n - tail, copied))
		hd_buf_addf(&path, "%.*s/kcore_dir/kcore", (int)(n - tail), source);
	else if (!strcmp(source, live) || is_running(key))
		hd_buf_adds(&path, "/proc/kcore");
	if (path.len)
		fd = hd_file_open_regular(path.data, &err);
	if (fd >= 0 && hd_elf_open(&c->elf, fd, path.data, &unused, &err) >= 0) {
		c->elf->log = NULL;
		c->kernel = true;
		c->lookup_start = key->kind == HD_OBJ_MODULE ? key->kernel_start : 0;
	} else if (path.len) {
		hd_buf_addf(&c->problem, "There is no code of the kernel: %s.", err.msg);
	} else {
		hd_buf_adds(&c->problem,
			"There is no code of the kernel: annotate on the recorded machine before its next "
			"boot, or record with perf record --kcore.");
	}
	hd_log_release(&unused);
	hd_buf_release(&path);
	return c->elf != NULL;
}

/*
 * Open the jitdump with the code of an object.  Returns false, with c->problem, if there is none.  A sample has the
 * offset of its code in the dump, so code that later replaced it at the same address is not mistaken for it.
 */
static bool open_jitdump(struct hd_object_code *c, const struct hd_symbols_key *key,
	const struct hd_symbol_access *access)
{
	const struct hd_jitdump *d = hd_jitdump_set_get(access->jitdumps, key->path, key->pid);
	struct hd_err err = { 0 };
	struct stat st;

	if (!access->jitdumps)
		hd_buf_adds(&c->problem, "A bundle has no code of JIT compilers, so only the sampled addresses and "
			"their lines are shown: annotate the recording, while its jitdump is there.");
	else if (!d || (c->dump_fd = hd_jitdump_reopen(d, &err)) < 0)
		hd_buf_addf(&c->problem, "There is no code to disassemble: %s.",
			err.code ? err.msg : "the jitdump was not read");
	if (c->dump_fd < 0)
		return false;
	c->dump = d;
	if (fstat(c->dump_fd, &st) == 0)
		c->mtime_ns = hd_file_mtime_ns(&st);
	for (size_t i = 0; i < d->nevents; i++) {
		const struct hd_jit_event *e = &d->events[i];
		uint32_t first = hd_map_get(&c->dump_loads, e->addr);

		if (first == HD_MAP_NONE)
			hd_map_put(&c->dump_loads, e->addr, e->load);
		else if (first != HD_OBJECT_CODE_SEVERAL &&
			 strcmp(hd_jitdump_name(d, &d->loads[first]), hd_jitdump_name(d, &d->loads[e->load])))
			hd_map_put(&c->dump_loads, e->addr, HD_OBJECT_CODE_SEVERAL);
	}
	return true;
}

static struct hd_architecture architecture_of(const struct hd_object_code *c)
{
	/* A jitdump does not say whether its code is 64-bit code.  Capstone needs this for MIPS and RISC-V only. */
	if (c->dump)
		return (struct hd_architecture){
			.machine = c->dump->machine, .is64 = true,
			.big_endian = c->dump->swap == (BYTE_ORDER == LITTLE_ENDIAN),
		};
	return (struct hd_architecture){
		.machine = c->elf->ehdr.e_machine, .is64 = c->elf->is64,
		.big_endian = c->elf->ehdr.e_ident[EI_DATA] == ELFDATA2MSB,
		.little_endian_code = c->elf->ehdr.e_machine == EM_ARM && c->elf->ehdr.e_flags & EF_ARM_BE8,
	};
}

static void open_code(struct hd_object_code *c, const struct hd_symbols_key *key, const struct hd_symbol_access *access,
	const struct hd_annotate_opts *opts)
{
	struct hd_architecture of;
	struct hd_err err = { 0 };

	if (codeless(key->kind)) {
		hd_buf_adds(&c->problem, codeless(key->kind));
		return;
	}
	if (key->kind == HD_OBJ_JIT) {
		if (!open_jitdump(c, key, access))
			return;
	} else if (key->kind == HD_OBJ_KERNEL || key->kind == HD_OBJ_MODULE) {
		if (!open_kcore(c, key))
			return;
	} else if (access->local && open_elf(c, access->local, key, &err)) {
		c->symbols = hd_symbols_object(access->local, key);
	} else if (access->local) {
		hd_buf_addf(&c->problem,
			"A bundle has no code, so only the sampled addresses and their lines are shown: %s.",
			err.msg);
		return;
	} else if (!open_elf(c, access->symbols, key, &err)) {
		hd_buf_addf(&c->problem,
			"There is no code to disassemble: %s.  Install the recorded build, or name the "
			"folder with the recorded files with --symfs DIR.", err.msg);
		return;
	}
	if (opts->no_code)
		return;
	of = architecture_of(c);
	if (c->elf)
		hd_mapping_symbols_read(&c->modes, c->elf);
	if (hd_disassembler_new(&c->disassembler, &of, opts->intel, &err) < 0)
		hd_buf_addf(&c->problem, "There are no instructions: %s.", err.msg);
}

void hd_object_code_open(struct hd_object_code *c, uint32_t object, const struct hd_profile *p,
	const struct hd_symbol_access *access, const struct hd_annotate_opts *opts)
{
	struct hd_symbols_key key;

	*c = (struct hd_object_code){ .object = object, .dump_fd = -1 };
	if (!access->symbols || !access->key(access->ctx, object, &key)) {
		hd_buf_addf(&c->problem, "%s has no files.", hd_profile_str(p, p->objects[object].name));
		return;
	}
	c->symbols = hd_symbols_object(access->symbols, &key);
	open_code(c, &key, access, opts);
}

void hd_object_code_release(struct hd_object_code *c)
{
	hd_disassembler_free(c->disassembler);
	hd_elf_close(c->elf);
	if (c->dump_fd >= 0)
		close(c->dump_fd);
	hd_map_release(&c->dump_loads);
	hd_mapping_symbols_release(&c->modes);
	hd_buf_release(&c->problem);
}

size_t hd_object_code_read(struct hd_object_code *c, uint64_t vaddr, uint8_t *bytes, size_t n)
{
	struct hd_err err;

	if (c->dump) {
		const struct hd_jit_load *l = hd_jitdump_find(c->dump, vaddr);
		ssize_t got;

		if (!l)
			return 0;
		if (n > l->size - (vaddr - l->off))
			n = (size_t)(l->size - (vaddr - l->off));
		got = hd_file_pread(c->dump_fd, bytes, n, vaddr, c->dump->path, NULL);
		return got < 0 ? 0 : (size_t)got;
	}
	for (size_t i = 0; i < c->elf->loads.n; i++) {
		const struct hd_elf_load *l = &c->elf->loads.v[i];
		uint64_t at = vaddr - l->vaddr;

		if (!l->exec || vaddr < l->vaddr || at >= l->filesz)
			continue;
		if (n > l->filesz - at)
			n = (size_t)(l->filesz - at);
		return hd_elf_read(c->elf, l->off + at, bytes, n, &err) >= 0 ? n : 0;
	}
	return 0;
}

uint64_t hd_object_code_shift(const struct hd_object_code *c, uint64_t vaddr)
{
	const struct hd_jit_load *l = c->dump ? hd_jitdump_find(c->dump, vaddr) : NULL;

	return l ? l->addr - l->off : 0;
}

const char *hd_object_code_symbol(struct hd_object_code *c, uint64_t vaddr, struct hd_arena *arena)
{
	struct hd_symbol_hit hit = { 0 };
	struct hd_buf text = { 0 };
	const char *name;
	char *plain;

	if (c->dump) {
		uint32_t load = hd_map_get(&c->dump_loads, vaddr);

		if (load < c->dump->nloads && *hd_jitdump_name(c->dump, &c->dump->loads[load]))
			hit.linkage = hd_jitdump_name(c->dump, &c->dump->loads[load]);
	}
	if (c->kernel)
		hd_object_lookup(c->symbols, vaddr - c->lookup_start, &hit);
	for (size_t i = 0; c->elf && !c->kernel && c->symbols && i < c->elf->loads.n; i++) {
		const struct hd_elf_load *l = &c->elf->loads.v[i];

		if (l->exec && vaddr - l->vaddr < l->filesz)
			hd_object_lookup(c->symbols, vaddr - l->vaddr + l->off, &hit);
	}
	if (!hit.linkage)
		return NULL;
	plain = hd_demangle(hit.linkage, false);
	hd_buf_adds(&text, plain ? plain : hit.linkage);
	if (hit.vaddr > hit.start)
		hd_buf_addf(&text, "+0x%llx", (unsigned long long)(hit.vaddr - hit.start));
	name = hd_arena_strndup(arena, text.data, text.len);
	hd_buf_release(&text);
	free(plain);
	return name;
}
