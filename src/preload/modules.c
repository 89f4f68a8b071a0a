/*
 * modules.c - the loaded objects: address -> module id and CFI
 *
 * _dl_find_object() takes no lock of the dynamic linker, so a thread that allocates within dlopen() cannot cause a
 * deadlock.  Its answer is compared with the known modules each time: a plugin that was loaded where another one had
 * been gets a new id.
 */
#include "preload/frame_rules.h"
#include "preload/recorder_memory.h"
#include "preload/recording.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { MODULES = 8192, SEGMENTS = 8, PATH_ROOM = 4096 };

struct module {
	uintptr_t start, end;
	const struct link_map *map;
	const void *eh_hdr;
	/* hashes of the path and of the build-id, to detect that another object was loaded at the same address */
	uint64_t path_hash, id_hash;
	uint32_t epoch;
	uint32_t id;
	struct hd_cfi *cfi;
};

/* The contents of an object's ELF headers that the recorder needs, read from memory. */
struct headers {
	uintptr_t bias;
	struct hd_heap_segment segments[SEGMENTS];
	uint32_t nsegments;
	uintptr_t eh_hdr, eh_hdr_end;
	const uint8_t *build_id;
	uint32_t build_id_len;
	uintptr_t load[2 * SEGMENTS];	/* start of each PT_LOAD segment, and end of its bytes from the file */
	uint32_t nloads;
};

static struct module *modules;
static uint32_t nmodules;
static char path[PATH_ROOM];

void hd_modules_begin(void)
{
	nmodules = 0;
	modules = NULL;
}

static uint64_t hash(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 1099511628211u;
	return h;
}

/* Find the build-id among the notes [p, end). */
static void read_notes(struct headers *out, const uint8_t *p, const uint8_t *end)
{
	while ((size_t)(end - p) >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)p;
		size_t name = ((size_t)n->n_namesz + 3) & ~(size_t)3, desc = ((size_t)n->n_descsz + 3) & ~(size_t)3;

		p += sizeof(*n);
		if (name > (size_t)(end - p) || desc > (size_t)(end - p) - name)
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(p, "GNU", 4) && n->n_descsz <= 20) {
			out->build_id = p + name;
			out->build_id_len = n->n_descsz;
			return;
		}
		p += name + desc;
	}
}

/*
 * Set the mapping in *d to the first mapping of the object, which contains the ELF headers.  *d is the result of
 * _dl_find_object() for an address.  If the object has gaps between its segments, the mapping in that result is only
 * the segment that contains the address.  Returns false if the headers are not found.
 */
static bool find_start(struct dl_find_object *d)
{
	struct dl_find_object first;
	uintptr_t at = d->dlfo_link_map->l_addr;

	if (!memcmp(d->dlfo_map_start, ELFMAG, SELFMAG))
		return true;
	if (!at)
		at = getauxval(AT_PHDR);
	if (_dl_find_object((void *)at, &first) < 0 || first.dlfo_link_map != d->dlfo_link_map ||
	    memcmp(first.dlfo_map_start, ELFMAG, SELFMAG))
		return false;
	d->dlfo_map_start = first.dlfo_map_start;
	d->dlfo_map_end = first.dlfo_map_end;
	return true;
}

/* Return true if [at, at + n) is mapped and belongs to the object whose first mapping is [start, end). */
static bool is_of(const struct link_map *map, uintptr_t start, uintptr_t end, uintptr_t at, size_t n)
{
	struct dl_find_object other;

	if (at >= start && at <= end)
		return n <= end - at;
	return _dl_find_object((void *)at, &other) == 0 && other.dlfo_link_map == map &&
		n <= (uintptr_t)other.dlfo_map_end - at;
}

/*
 * Read the ELF headers of a loaded object from memory.  All linkers put them at the start of the first mapping,
 * [start, end).  Returns false if there is no valid header.
 */
static bool read_headers(struct headers *out, uintptr_t start, uintptr_t end, const struct link_map *map)
{
	uintptr_t bias = map->l_addr, room = end - start;
	const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)start;
	const ElfW(Phdr) *ph;

	*out = (struct headers){ .bias = bias };
	if (room < sizeof(*e) || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_phentsize != sizeof(*ph) ||
	    e->e_phoff > room || e->e_phnum > (room - e->e_phoff) / sizeof(*ph))
		return false;
	ph = (const ElfW(Phdr) *)(start + e->e_phoff);
	for (unsigned int i = 0; i < e->e_phnum; i++) {
		uintptr_t at = bias + ph[i].p_vaddr;

		if (!is_of(map, start, end, at, ph[i].p_memsz))
			continue;
		if (ph[i].p_type == PT_LOAD && out->nloads < SEGMENTS) {
			out->load[2 * out->nloads] = at;
			out->load[2 * out->nloads++ + 1] = at + ph[i].p_filesz;
			if ((ph[i].p_flags & PF_X) && out->nsegments < SEGMENTS)
				out->segments[out->nsegments++] = (struct hd_heap_segment){ at, ph[i].p_memsz,
					ph[i].p_offset };
		} else if (ph[i].p_type == PT_GNU_EH_FRAME) {
			out->eh_hdr = at;
			out->eh_hdr_end = at + ph[i].p_memsz;
		} else if (ph[i].p_type == PT_NOTE && !out->build_id) {
			read_notes(out, (const uint8_t *)at, (const uint8_t *)at + ph[i].p_filesz);
		}
	}
	return true;
}

static void *take(void *ctx, size_t bytes)
{
	(void)ctx;
	return hd_recorder_mem_take(bytes);
}

/*
 * Open the CFI of an object: .eh_frame_hdr (version, three encodings, the address of .eh_frame), and .eh_frame up to
 * the end of its segment.  Returns NULL if the object has none of this form.
 */
static struct hd_cfi *open_cfi(const struct headers *h)
{
	struct hd_cfi_allocator mem = { take, NULL };
	struct hd_cfi_sections in = { .machine = HD_MACHINE, .loaded = true };
	struct hd_cfi *cfi = NULL;
	const uint8_t *hdr = (const uint8_t *)h->eh_hdr;
	uintptr_t frame;
	int32_t to;

	if (!hdr || h->eh_hdr_end - h->eh_hdr < 8 || hdr[0] != 1 || hdr[1] != 0x1b)
		return NULL;
	memcpy(&to, hdr + 4, 4);
	frame = h->eh_hdr + 4 + (uintptr_t)(intptr_t)to;
	for (uint32_t i = 0; i < h->nloads; i++) {
		if (frame < h->load[2 * i] || frame >= h->load[2 * i + 1])
			continue;
		in.eh_frame = (struct hd_cfi_section){ (const uint8_t *)frame, h->load[2 * i + 1] - frame, frame };
		in.eh_frame_hdr = (struct hd_cfi_section){ hdr, h->eh_hdr_end - h->eh_hdr, h->eh_hdr };
		if (hd_cfi_open(&cfi, &in, &mem, NULL) > 0)
			return cfi;
	}
	return NULL;
}

/*
 * Make a relative path absolute.  The path that dlopen() got was relative to the working directory, which has probably
 * not changed since.  The result is in the static buffer `path`.  A name without a slash is returned unchanged.
 */
static const char *from_here(const char *name)
{
	size_t n = strlen(name), dir;

	if (!strchr(name, '/') || !getcwd(path, sizeof(path)))
		return name;
	if (!strncmp(name, "./", 2)) {
		name += 2;
		n -= 2;
	}
	dir = strlen(path);
	if (dir + n + 2 > sizeof(path))
		return name;
	path[dir] = '/';
	memcpy(path + dir + 1, name, n + 1);
	return path;
}

static const char *name_of(const struct link_map *map)
{
	ssize_t n;

	if (map->l_name && map->l_name[0] == '/')
		return map->l_name;
	if (map->l_name && !strncmp(map->l_name, "linux-vdso", 10))
		return "[vdso]";
	if (map->l_name && map->l_name[0])
		return from_here(map->l_name);
	n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	return path;
}

static bool write_module(uint32_t id, const struct headers *h, const char *name)
{
	uint32_t len = (uint32_t)strlen(name), segs = h->nsegments * (uint32_t)sizeof(h->segments[0]);
	struct hd_heap_module *m = hd_recording_file_block(HD_HEAP_MODULE_BLOCK, (uint32_t)sizeof(*m) + segs + len, 0);

	if (!m)
		return false;
	m->nsegments = h->nsegments;
	m->path_len = len;
	m->build_id_len = h->build_id_len;
	if (h->build_id_len)
		memcpy(m->build_id, h->build_id, h->build_id_len);
	memcpy(m + 1, h->segments, segs);
	memcpy((char *)(m + 1) + segs, name, len);
	__atomic_store_n(&m->id, id, __ATOMIC_RELEASE);
	return true;
}

static struct module *add(const struct dl_find_object *d)
{
	const char *name = name_of(d->dlfo_link_map);
	struct module *m;
	struct headers h;

	if (!modules)
		modules = hd_recorder_mem_map(MODULES * sizeof(*modules));
	if (!modules || nmodules == MODULES || strlen(name) >= PATH_ROOM)
		return NULL;
	if (!read_headers(&h, (uintptr_t)d->dlfo_map_start, (uintptr_t)d->dlfo_map_end, d->dlfo_link_map))
		return NULL;
	if (!write_module(nmodules + 1, &h, name))
		return NULL;
	m = &modules[nmodules++];
	*m = (struct module){
		.start = (uintptr_t)d->dlfo_map_start, .end = (uintptr_t)d->dlfo_map_end, .map = d->dlfo_link_map,
		.eh_hdr = d->dlfo_eh_frame, .path_hash = hash(name, strlen(name)), .id = nmodules, .cfi = open_cfi(&h),
		.epoch = atomic_load(&hd_recorder.map_epoch),
		.id_hash = h.build_id ? hash(h.build_id, h.build_id_len) : 0,
	};
	return m;
}

/*
 * Return true if module m is still loaded at its address.  If dlclose() was called since the last test, the object that
 * is loaded there must have the same name and build-id.
 */
static bool is_same(struct module *m, const struct dl_find_object *d)
{
	uint32_t epoch = atomic_load(&hd_recorder.map_epoch);
	const char *name;
	struct headers h;

	if (m->epoch == epoch)
		return true;
	name = name_of(d->dlfo_link_map);
	if (m->path_hash != hash(name, strlen(name)) || !read_headers(&h, m->start, m->end, d->dlfo_link_map) ||
	    m->id_hash != (h.build_id ? hash(h.build_id, h.build_id_len) : 0))
		return false;
	m->epoch = epoch;
	return true;
}

uint32_t hd_module_at(uint64_t pc, struct hd_cfi **cfi)
{
	struct dl_find_object d;
	struct module *m;

	*cfi = NULL;
	if (_dl_find_object((void *)(uintptr_t)pc, &d) < 0 || !find_start(&d))
		return 0;
	/*
	 * Several modules may have been loaded at an address, one after the other.  Search from the newest on, because
	 * only that one can still be loaded.
	 */
	for (uint32_t i = nmodules; i-- > 0; ) {
		m = &modules[i];
		if (m->start != (uintptr_t)d.dlfo_map_start)
			continue;
		if (m->end == (uintptr_t)d.dlfo_map_end && m->map == d.dlfo_link_map && m->eh_hdr == d.dlfo_eh_frame &&
			is_same(m, &d)) {
			*cfi = m->cfi;
			return m->id;
		}
		break;
	}
	m = add(&d);
	if (!m)
		return 0;
	*cfi = m->cfi;
	return m->id;
}
