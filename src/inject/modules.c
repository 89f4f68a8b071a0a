/*
 * modules.c - record each loaded program and library, before the first stack that has addresses in it
 *
 * The dynamic linker counts loads and unloads.  The list of loaded objects is read again only if these counts change.
 */
#include "inject/injection.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULES = 8192, SEGMENTS = 16, PATH_ROOM = 4096 };

struct headers {
	struct hd_cuda_segment segments[SEGMENTS];
	uint32_t nsegments, build_id_len;
	uint8_t build_id[20];
};

/* hash: of the name, the build-id and the segments of an object; round: value of round_now when it was last seen */
static struct { uint64_t hash; uint32_t round; } known[MODULES];
static uint32_t nknown, round_now, last_id;
static unsigned long long adds, subs;
static bool missed;			/* the trace had no room for an object in the last walk */

/* Find the build-id among the notes [p, p + n). */
static void read_notes(struct headers *h, const uint8_t *p, size_t n)
{
	while (n >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)p;
		size_t name = ((size_t)note->n_namesz + 3) & ~(size_t)3,
		       desc = ((size_t)note->n_descsz + 3) & ~(size_t)3;

		p += sizeof(*note);
		n -= sizeof(*note);
		if (name > n || desc > n - name)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(p, "GNU", 4) &&
		    note->n_descsz <= sizeof(h->build_id)) {
			memcpy(h->build_id, p + name, note->n_descsz);
			h->build_id_len = note->n_descsz;
			return;
		}
		p += name + desc;
		n -= name + desc;
	}
}

static void read_headers(struct headers *h, const struct dl_phdr_info *info)
{
	*h = (struct headers){ .nsegments = 0 };
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && h->nsegments < SEGMENTS)
			h->segments[h->nsegments++] = (struct hd_cuda_segment){ info->dlpi_addr + p->p_vaddr,
				p->p_memsz, p->p_offset };
		else if (p->p_type == PT_NOTE && !h->build_id_len)
			read_notes(h, (const uint8_t *)(info->dlpi_addr + p->p_vaddr), p->p_memsz);
	}
}

/* Return the path of a file as the kernel reports it: absolute, with symbolic links resolved. */
static const char *path_of(const char *name, char room[PATH_ROOM + 1])
{
	ssize_t n;

	if (name && !strncmp(name, "linux-vdso", 10))
		return "[vdso]";
	if (name && name[0])
		return realpath(name, room) ? room : name;
	n = readlink("/proc/self/exe", room, PATH_ROOM);
	room[n > 0 ? n : 0] = 0;
	return room;
}

/* Record an object.  Returns false if the trace has no room for it. */
static bool write_module(const struct headers *h, const char *name)
{
	static char room[PATH_ROOM + 1];	/* guarded by the lock of the trace */
	const char *path = path_of(name, room);
	size_t segments = h->nsegments * sizeof(h->segments[0]), len = strnlen(path, PATH_ROOM);
	struct hd_cuda_module *m = hd_trace_file_record(HD_CUDA_MODULE, sizeof(*m) + segments + len, last_id + 1);

	if (!m)
		return false;
	last_id++;
	m->nsegments = h->nsegments;
	m->path_len = (uint32_t)len;
	m->build_id_len = h->build_id_len;
	memcpy(m->build_id, h->build_id, sizeof(m->build_id));
	memcpy(m + 1, h->segments, segments);
	memcpy((char *)(m + 1) + segments, path, len);
	return true;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	struct headers h;
	uint64_t key[3];

	(void)size;
	if (!round_now || adds != info->dlpi_adds || subs != info->dlpi_subs) {
		round_now++;
		adds = info->dlpi_adds;
		subs = info->dlpi_subs;
	} else if (!*(bool *)arg) {
		return 1;			/* stop: no object was loaded or unloaded since the last walk */
	}
	*(bool *)arg = true;
	read_headers(&h, info);
	key[0] = hd_hash_ids_hash(name, strlen(name));
	key[1] = hd_hash_ids_hash(h.build_id, sizeof(h.build_id));
	key[2] = hd_hash_ids_hash(h.segments, sizeof(h.segments));
	key[0] = hd_hash_ids_hash(key, sizeof(key));
	for (uint32_t i = 0; i < nknown; i++) {
		if (known[i].hash == key[0]) {
			known[i].round = round_now;
			return 0;
		}
	}
	if (!write_module(&h, name)) {
		missed = true;
	} else if (nknown < MODULES) {
		known[nknown].hash = key[0];
		known[nknown++].round = round_now;
	}
	return 0;
}

bool hd_modules_update(void)
{
	bool changed = false, gone = missed;

	missed = false;
	dl_iterate_phdr(look_at, &changed);
	for (uint32_t i = 0; changed && i < nknown; ) {
		if (known[i].round != round_now) {
			known[i] = known[--nknown];
			gone = true;
		} else {
			i++;
		}
	}
	if (missed)
		adds = 0;		/* no count of loads is 0, so the next call reads the list again */
	return gone;
}
