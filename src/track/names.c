/* names.c - see track/names.h */
#include "track/names.h"

#include <stdlib.h>
#include <string.h>

/* The hash function is FNV-1a, which is fast for short names. */
static uint64_t hash_name(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return h ^ (h >> 29);
}

/* Return the slot of a name in the hash table, or the free slot to insert it at. */
static uint32_t *slot_of(struct hd_names *n, const char *name, size_t len)
{
	size_t i = hash_name(name, len) & (n->nslots - 1);

	for (; n->slots[i]; i = (i + 1) & (n->nslots - 1)) {
		const char *text = n->texts[n->slots[i] - 1];

		if (strncmp(text, name, len) == 0 && !text[len])
			break;
	}
	return &n->slots[i];
}

/* Make room for one more name. */
static int grow(struct hd_names *n)
{
	if (n->n == n->cap) {
		size_t cap = n->cap ? 2 * n->cap : 16;
		char **texts = realloc(n->texts, cap * sizeof(*texts)), *rows = n->rows;

		if (!texts)
			return HD_TRACK_NOMEM;
		n->texts = texts;
		if (n->row_size) {
			rows = realloc(rows, cap * n->row_size);
			if (!rows)
				return HD_TRACK_NOMEM;
			memset(rows + n->cap * n->row_size, 0, (cap - n->cap) * n->row_size);
			n->rows = rows;
		}
		n->cap = cap;
	}
	if (2 * (n->n + 1) > n->nslots) {
		size_t nslots = n->nslots ? 2 * n->nslots : 64;
		uint32_t *slots = calloc(nslots, sizeof(*slots));

		if (!slots)
			return HD_TRACK_NOMEM;
		free(n->slots);
		n->slots = slots;
		n->nslots = nslots;
		for (size_t i = 0; i < n->n; i++)
			*slot_of(n, n->texts[i], strlen(n->texts[i])) = (uint32_t)i + 1;
	}
	return HD_TRACK_OK;
}

int64_t hd_names_add(struct hd_names *n, const char *name)
{
	size_t len = name ? strnlen(name, HD_NAME_BYTES - 1) : 0;
	char *copy;
	int rc;

	if (!len)
		return HD_TRACK_INVALID;
	if (n->nslots) {
		uint32_t *slot = slot_of(n, name, len);

		if (*slot)
			return *slot - 1;
	}
	if (n->n >= n->max || n->n >= UINT32_MAX - 1)
		return HD_TRACK_FULL;
	rc = grow(n);
	if (rc < 0)
		return rc;
	copy = malloc(len + 1);
	if (!copy)
		return HD_TRACK_NOMEM;
	memcpy(copy, name, len);
	copy[len] = '\0';
	n->texts[n->n] = copy;
	*slot_of(n, name, len) = (uint32_t)++n->n;
	return (int64_t)n->n - 1;
}

void hd_names_release(struct hd_names *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->texts[i]);
	free(n->texts);
	free(n->rows);
	free(n->slots);
	*n = (struct hd_names){ .max = n->max, .row_size = n->row_size };
}
