/*
 * lbr.c - see lbr.h
 */
#include "pipeline/lbr.h"

#include "base/mem.h"
#include "pipeline/locator.h"

#include <stdlib.h>

enum { BRANCH_BYTES = 24 };	/* from, to, flags */

static uint64_t from(const struct hd_sample *s, uint32_t i)
{
	return hd_sample_word(s, s->branches + BRANCH_BYTES * (size_t)i);
}

static uint64_t to(const struct hd_sample *s, uint32_t i)
{
	return hd_sample_word(s, s->branches + BRANCH_BYTES * (size_t)i + 8);
}

static void add(struct hd_lbr *l, uint64_t v)
{
	HD_GROW(l->words, l->n + 1, l->cap);
	l->words[l->n++] = v;
}

/*
 * Return the index of the context marker that begins the user part of the recorded chain, or nchain if there is none.
 * A marker of a deferred user chain counts, too.
 */
static uint32_t user_part(const struct hd_sample *s)
{
	uint32_t i = 0;

	while (i < s->nchain && hd_sample_chain_ip(s, i) != HD_CONTEXT_USER &&
		hd_sample_chain_ip(s, i) != HD_CONTEXT_DEFERRED)
		i++;
	return i;
}

const struct hd_sample *hd_lbr_chain(struct hd_lbr *l, const struct hd_sample *s, struct hd_sample *out)
{
	uint32_t user;
	bool in_user = s->cpumode == HD_MODE_USER;

	if (!s->branches_are_calls || !s->nbranches)
		return s;
	user = user_part(s);
	l->n = 0;
	for (uint32_t i = 0; i < user; i++)
		add(l, hd_sample_chain_ip(s, i));
	if (!l->n && !in_user) {
		add(l, HD_CONTEXT_KERNEL);
		add(l, s->ip);
	}
	add(l, HD_CONTEXT_USER);
	if (user + 1 < s->nchain && hd_sample_chain_ip(s, user) == HD_CONTEXT_USER &&
		hd_sample_chain_ip(s, user + 1) < HD_CONTEXT_MAX)
		add(l, hd_sample_chain_ip(s, user + 1));
	else
		add(l, in_user ? s->ip : to(s, 0));
	for (uint32_t i = 0; i < s->nbranches && from(s, i) && from(s, i) < HD_CONTEXT_MAX; i++)
		add(l, from(s, i) + 1);
	*out = *s;
	out->chain = (const uint8_t *)l->words;
	out->nchain = (uint32_t)l->n;
	out->chain_swap = false;
	return out;
}

void hd_lbr_release(struct hd_lbr *l)
{
	free(l->words);
	*l = (struct hd_lbr){ 0 };
}
