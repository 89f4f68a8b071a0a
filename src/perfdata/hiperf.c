/* hiperf.c - read the sections that hiperf, the recorder of OpenHarmony, writes: see embedded_symbols.h */
#include "perfdata/embedded_files.h"

#include "base/hash.h"
#include "base/hex.h"
#include "base/mem.h"
#include "perfdata/perf_state.h"

#include <stdlib.h>

/* ---- FILES_SYMBOL ---- */

/* Read a text: u32 size including the NUL, then the bytes. */
static const char *take_text(struct hd_bytes *b, size_t *n)
{
	uint32_t bytes = hd_bytes_u32(b);
	const char *p = hd_bytes_skip(b, bytes);

	*n = p ? strnlen(p, bytes) : 0;
	return p ? p : "";
}

static void set_build_id(struct hd_build_id *id, const char *hex, size_t n)
{
	if (n % 2 || n > 2 * sizeof(id->bytes))
		return;
	if (hd_unhex(hex, id->bytes, n / 2) == n / 2)
		id->len = (uint8_t)(n / 2);
}

/*
 * Return the address space of a file's symbols.  The numbers that hiperf uses for types of files have changed over
 * time, so they are ignored.  The kernel is recognised because its vaddr is UINT64_MAX, a module by its name.
 */
static enum hd_embedded_kind kind_of(const char *path, uint64_t vaddr)
{
	size_t n = strlen(path);

	if (vaddr == UINT64_MAX)
		return HD_EMBEDDED_KIND_KERNEL;
	return n > 3 && !strcmp(path + n - 3, ".ko") ? HD_EMBEDDED_KIND_MODULE : HD_EMBEDDED_KIND_FILE;
}

static void take_file(struct hd_perf *pf, struct hd_bytes *b)
{
	size_t n, file = pf->carried.nfiles;
	const char *text = take_text(b, &n);
	struct hd_embedded_file *f = hd_embedded_file_begin(pf, text, n);
	uint32_t symbols;

	hd_bytes_u32(b);
	f->vaddr = hd_bytes_u64(b);
	f->foff = hd_bytes_u64(b);
	f->has_foff = true;
	f->kind = kind_of(hd_embedded_str(&pf->carried, f->path), f->vaddr);
	text = take_text(b, &n);
	set_build_id(&f->id, text, n);
	symbols = hd_bytes_u32(b);
	for (uint32_t i = 0; i < symbols && !b->bad; i++) {
		uint64_t start = hd_bytes_u64(b);
		uint32_t size = hd_bytes_u32(b);

		text = take_text(b, &n);
		if (!b->bad)
			hd_embedded_file_add_symbol(pf, file, start, size, text, n);
	}
	hd_embedded_file_end(pf);
}

int hd_hiperf_read_files(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err)
{
	uint32_t files = hd_bytes_u32(b);

	for (uint32_t i = 0; i < files && !b->bad; i++) {
		take_file(pf, b);
		if (b->bad)
			return hd_fail(err, HD_EFORMAT, "the symbols of file %u of %u are cut off", i, files);
	}
	return b->bad ? hd_fail(err, HD_EFORMAT, "it is cut off") : 0;
}

/* ---- FILES_UNISTACK_TABLE ---- */

enum {
	CHAIN_MAX = 1024,		/* maximum entries of one chain */
	CHAINS_PER_BYTE = 16,		/* limit for the memory of all chains, as a multiple of the file size */
};
#define NODE_IP		((UINT64_C(1) << 40) - 1)
#define NODE_CALLER	((UINT64_C(1) << 23) - 1)

static uint64_t node_key(uint32_t pid, uint64_t index)
{
	return (uint64_t)pid << 32 | index;
}

int hd_hiperf_read_stacks(struct hd_perf *pf, struct hd_bytes *b, struct hd_err *err)
{
	uint32_t processes = hd_bytes_u32(b);

	for (uint32_t i = 0; i < processes && !b->bad; i++) {
		uint32_t pid = hd_bytes_u32(b), nodes;

		hd_bytes_u32(b);
		nodes = hd_bytes_u32(b);
		if (b->bad || nodes > hd_bytes_left(b) / 12)
			return hd_fail(err, HD_EFORMAT, "the chains of process %u of %u do not fit in it", i,
				processes);
		HD_GROW(pf->stack_nodes, pf->nstack_nodes + nodes, pf->stack_nodes_cap);
		for (uint32_t k = 0; k < nodes; k++) {
			uint32_t index = hd_bytes_u32(b);

			hd_map_put(&pf->stack_index, node_key(pid, index), (uint32_t)pf->nstack_nodes);
			pf->stack_nodes[pf->nstack_nodes++] = hd_bytes_u64(b);
		}
	}
	return b->bad ? hd_fail(err, HD_EFORMAT, "it is cut off") : 0;
}

/*
 * Store the entries of a chain in `ips`, innermost first; return their number.  `word`: index of the innermost entry in
 * the table, and the number of entries.
 */
static uint32_t follow(const struct hd_perf *pf, uint32_t pid, uint64_t word, uint64_t *ips)
{
	uint64_t index = word & NODE_CALLER, most = word >> 23;
	uint32_t n = 0;

	while (n < CHAIN_MAX && n < most && index) {
		uint32_t at = hd_map_get(&pf->stack_index, node_key(pid, index));
		uint64_t node;

		if (at == HD_MAP_NONE)
			break;
		node = pf->stack_nodes[at];
		ips[n++] = (node & NODE_IP) | (node >> 63 ? ~NODE_IP : 0);
		index = node >> 40 & NODE_CALLER;
	}
	return n;
}

void hd_hiperf_chain(struct hd_perf *pf, const uint8_t *word, struct hd_sample *s)
{
	uint64_t ips[CHAIN_MAX], id = hd_get64(word, pf->file.swap);
	uint64_t key = hd_mix(id, (uint32_t)s->pid);
	uint32_t known = hd_map_get(&pf->stack_known, key), n;
	struct hd_unique_chain *k;

	if (known == HD_MAP_NONE) {
		n = follow(pf, (uint32_t)s->pid, id, ips);
		if (pf->stack_bytes + 8 * (uint64_t)n > CHAINS_PER_BYTE * pf->file.bytes) {
			pf->carried.chains_refused++;
			return;
		}
		known = (uint32_t)pf->nstack_known;
		HD_GROW(pf->stack_known_at, known + 1, pf->stack_known_cap);
		k = &pf->stack_known_at[pf->nstack_known++];
		*k = (struct hd_unique_chain){ .id = id, .pid = (uint32_t)s->pid, .n = n };
		k->ips = hd_arena_alloc(&pf->stack_chains, 8 * (size_t)n + 8);
		for (uint32_t i = 0; i < n; i++)
			ips[i] = pf->file.swap ? __builtin_bswap64(ips[i]) : ips[i];
		memcpy(k->ips, ips, 8 * (size_t)n);
		pf->stack_bytes += 8 * (uint64_t)n;
		hd_map_put(&pf->stack_known, key, known);
	}
	k = &pf->stack_known_at[known];
	if (k->id != id || k->pid != (uint32_t)s->pid)
		return;
	s->chain = (const uint8_t *)k->ips;
	s->nchain = k->n;
}

void hd_hiperf_free_stacks(struct hd_perf *pf)
{
	free(pf->stack_nodes);
	free(pf->stack_known_at);
	hd_map_release(&pf->stack_index);
	hd_map_release(&pf->stack_known);
	hd_arena_release(&pf->stack_chains);
}
