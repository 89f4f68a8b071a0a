/*
 * key.c - see key.h
 */
#include "symbols/key.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

uint64_t hd_symbols_key_hash(const struct hd_symbols_key *k)
{
	uint64_t h = hd_mix(hd_hash_bytes(k->path, strlen(k->path)), (uint64_t)k->kind << 32 | (uint32_t)k->pid);

	h = hd_mix(h, k->build_id_len ? hd_hash_bytes(k->build_id, k->build_id_len) : 0);
	return hd_mix(h, hd_mix(k->kernel_start ^ k->ino, k->kernel_pgoff ^ k->generation));
}

bool hd_symbols_key_equal(const struct hd_symbols_key *a, const struct hd_symbols_key *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->kernel_start == b->kernel_start &&
		a->kernel_pgoff == b->kernel_pgoff && a->guest == b->guest && a->mnt_ns == b->mnt_ns &&
		a->foreign_pid == b->foreign_pid && a->ino == b->ino && a->generation == b->generation &&
		a->build_id_len == b->build_id_len &&
		(!a->build_id_len || !memcmp(a->build_id, b->build_id, a->build_id_len)) && !strcmp(a->path, b->path);
}

void hd_symbols_key_copy(struct hd_symbols_owned_key *to, const struct hd_symbols_key *from)
{
	to->key = *from;
	to->key.path = to->path = hd_strdup(from->path);
	if (from->build_id_len > sizeof(to->build_id))
		to->key.build_id_len = 0;
	if (to->key.build_id_len)
		memcpy(to->build_id, from->build_id, to->key.build_id_len);
	to->key.build_id = to->build_id;
}

uint64_t hd_symbols_key_vaddr(const struct hd_symbols_key *k, uint64_t foff)
{
	bool relative = (k->kind == HD_OBJ_MODULE || k->kind == HD_OBJ_KSYM) && foff < k->kernel_start;

	return relative ? k->kernel_start + foff : foff;
}
