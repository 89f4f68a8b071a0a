/*
 * fuzz_witness.c - check a forged witness, and read lines of anchors and of verified heads
 *
 * The first byte selects the input: 'b' bodies of lines, to which forge() adds valid numbers and sums, because a
 * fuzzer cannot guess a valid sum; 'a' anchors; 'h' verified heads; any other byte a whole file.
 *
 * Invariants: the file is a valid witness, or it is rejected with a message; a run of a valid witness has a hash and
 * at most as many hotspots as rows; an anchor and a head are written as they were read.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "trust/anchor.h"
#include "trust/verified_heads.h"
#include "trust/witness.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *text, size_t len)
{
	struct hd_err err = { 0 };
	struct hd_witness w;
	int rc = hd_witness_check(&w, text, len, "fuzz", &err);

	assert(rc == 0 || rc == HD_ENO || rc == HD_EFORMAT);
	assert((rc < 0) == (err.msg[0] != '\0'));
	if (rc == 0) {
		assert(w.lines >= 2 && strlen(w.sum) == 64);
		for (size_t i = 0; i < w.nruns; i++)
			assert(w.runs[i].ntops <= w.runs[i].sums.rows && strlen(w.runs[i].hash) == 64);
	}
	hd_witness_release(&w);
}

/* Give each line its number after its first `"n":`, and its sum, and check the result as a witness. */
static void forge(const char *p, size_t len)
{
	const char *end = p + len;
	char sum[HD_SHA256_HEX] = HD_CHAIN_START;
	struct hd_buf text = { 0 }, line = { 0 };

	for (size_t n = 1; p < end; n++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p)), *at;

		stop = stop ? stop : end;
		at = memmem(p, (size_t)(stop - p), "\"n\":", 4);
		hd_buf_reset(&line);
		hd_buf_add(&line, p, (size_t)((at ? at + 4 : stop) - p));
		if (at) {
			hd_buf_addf(&line, "%zu", n);
			hd_buf_add(&line, at + 4, (size_t)(stop - at - 4));
		}
		hd_witness_next_sum(sum, hd_buf_str(&line), line.len, sum);
		hd_buf_add(&text, hd_buf_str(&line), line.len);
		hd_buf_addf(&text, ",\"~\":\"%s\"}\n", sum);
		p = stop < end ? stop + 1 : end;
	}
	check(hd_buf_str(&text), text.len);
	hd_buf_release(&text);
	hd_buf_release(&line);
}

static void anchors(const char *p, size_t len)
{
	struct hd_anchors list = { 0 }, again = { 0 };
	struct hd_buf text = { 0 };
	struct hd_err err = { 0 };

	if (hd_anchors_parse(&list, p, len, "fuzz", &err) < 0)
		assert(err.code == HD_EFORMAT);
	for (size_t i = 0; i < list.n; i++)
		hd_anchor_line(&text, &list.items[i]);
	assert(hd_anchors_parse(&again, hd_buf_str(&text), text.len, "fuzz", &err) == 0 && again.n == list.n);
	for (size_t i = 0; i < list.n; i++)
		assert(!memcmp(&list.items[i], &again.items[i], sizeof(list.items[i])));
	hd_buf_release(&text);
	hd_anchors_release(&list);
	hd_anchors_release(&again);
}

static void verified_heads(const char *p, size_t len)
{
	struct hd_verified_heads list, again;
	struct hd_chain_heads heads = { 0 };
	struct hd_buf text = { 0 };
	struct hd_err err = { 0 };
	int rc = hd_verified_heads_parse(&list, p, len, "fuzz", &err);

	assert(rc == 0 || rc == HD_EFORMAT);
	heads.items = hd_new_array(struct hd_chain_head, list.n + 1);
	for (; rc == 0 && heads.n < list.n; heads.n++) {
		struct hd_verified_head *h = &list.items[heads.n];

		assert(hd_verified_heads_find(&list, h->origin, h->journal) == h);
		heads.items[heads.n] = (struct hd_chain_head){ .origin = h->origin, .seq = h->seq, .hash = h->hash,
			.kind = h->journal ? "journal" : "runs" };
	}
	assert(hd_verified_heads_text(&text, &heads, "fuzz", &err) == 0);
	assert(hd_verified_heads_parse(&again, hd_buf_str(&text), text.len, "fuzz", &err) == 0);
	assert(again.n == heads.n);
	for (size_t i = 0; i < again.n; i++) {
		again.items[i].line = list.items[i].line;
		assert(!memcmp(&again.items[i], &list.items[i], sizeof(list.items[i])));
	}
	free(heads.items);
	hd_buf_release(&text);
	hd_verified_heads_release(&list);
	hd_verified_heads_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = hd_alloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	if (size && *text == 'b')
		forge(text + 1, size - 1);
	else if (size && *text == 'a')
		anchors(text + 1, size - 1);
	else if (size && *text == 'h')
		verified_heads(text + 1, size - 1);
	else
		check(text, size);
	free(text);
	return 0;
}
