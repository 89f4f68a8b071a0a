/*
 * witness_lines.c - verify that each line of a witness follows the line before it, and describe the first fault
 *
 * The member "n" of a line is its number.  Its member "~" is a hash of the previous line's "~" and of the line itself
 * (witness.h).  At the first line with a wrong hash, the numbers and hashes of the following lines show what happened:
 *
 *     a later line follows the last valid one      the lines between were inserted or moved there
 *     no line has the expected number              the line was removed
 *     otherwise                                    the line was changed
 */
#include "trust/witness.h"

#include "base/hex.h"
#include "base/mem.h"
#include "trust/chain.h"

#include <stdlib.h>
#include <string.h>

enum { TAIL = 6 + 64 + 2 };	/* the bytes at the end of a line: ,"~":" and the sum and "} */

struct line {
	const char *text;
	size_t len;
	uint64_t n;		/* value of its member "n"; 0: none */
	bool formed;		/* the line ends with a sum */
};

struct lines {
	struct line *items;
	size_t n, cap;
	bool cut;		/* the last line has no line end */
};

void hd_witness_next_sum(const char before[HD_SHA256_HEX], const char *body, size_t len, char sum[HD_SHA256_HEX])
{
	struct hd_sha256 *h = hd_sha256_new();
	uint8_t bytes[HD_SHA256_BYTES];

	hd_sha256_add(h, before, HD_SHA256_HEX - 1);
	hd_sha256_add(h, "\n", 1);
	hd_sha256_add(h, body, len);
	hd_sha256_end(h, bytes);
	hd_hex(bytes, sizeof(bytes), sum);
}

static bool is_formed(const char *p, size_t n)
{
	const char *tail = p + n - TAIL;

	if (n < TAIL + 2 || *p != '{' || memcmp(tail, ",\"~\":\"", 6) || memcmp(p + n - 2, "\"}", 2))
		return false;
	for (size_t i = 0; i < 64; i++)
		if (!strchr("0123456789abcdef", tail[6 + i]) || !tail[6 + i])
			return false;
	return true;
}

/*
 * Return the value of the member "n" of a line; 0 if there is none.  The bytes `"n":` cannot be a part of a string,
 * because quotes in strings are escaped.
 */
static uint64_t number_of(const char *p, size_t n)
{
	const char *at = memmem(p, n, "\"n\":", 4);
	uint64_t v = 0;

	if (!at)
		return 0;
	at += 4;
	for (size_t digits = 0; at < p + n && *at >= '0' && *at <= '9' && digits < 18; digits++)
		v = v * 10 + (uint64_t)(*at++ - '0');
	return v;
}

static void split(struct lines *l, const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *p = text; p < end;) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		struct line one = { .text = p, .len = (size_t)((stop ? stop : end) - p) };

		l->cut = !stop;
		one.formed = is_formed(one.text, one.len);
		one.n = one.formed ? number_of(one.text, one.len - TAIL) : 0;
		HD_GROW(l->items, l->n + 1, l->cap);
		l->items[l->n++] = one;
		p = stop ? stop + 1 : end;
	}
}

static const char *claimed(const struct line *l)
{
	return l->text + l->len - 2 - 64;
}

static bool follows(const struct line *l, const char before[HD_SHA256_HEX])
{
	char sum[HD_SHA256_HEX];

	if (!l->formed)
		return false;
	hd_witness_next_sum(before, l->text, l->len - TAIL, sum);
	return !memcmp(sum, claimed(l), 64);
}

/* Return the index of the first line, from index `from` on, whose number (member "n") is `n`; l->n if there is none. */
static size_t find(const struct lines *l, size_t from, uint64_t n)
{
	while (from < l->n && l->items[from].n != n)
		from++;
	return from;
}

/* Fail with a description of what is wrong with line i (from 0).  before: the sum of the last valid line. */
static int fail_at(const struct lines *l, size_t i, const char before[HD_SHA256_HEX], const char *path,
	struct hd_err *err)
{
	const struct line *bad = &l->items[i];
	size_t k = find(l, i, i + 1);

	if (i + 1 == l->n && l->cut && !bad->formed)
		return hd_fail(err, HD_ENO, "%s: line %zu is cut off: the file ends in it", path, i + 1);
	while (k < l->n && !follows(&l->items[k], before))
		k = find(l, k + 1, i + 1);
	if (k < l->n) {
		if (bad->n > i + 1 && find(l, i + 1, bad->n) == l->n)
			return hd_fail(err, HD_ENO, "%s: line %zu was moved: its number is %llu", path, i + 1,
				(unsigned long long)bad->n);
		if (k == i + 1)
			return hd_fail(err, HD_ENO, "%s: line %zu was inserted", path, i + 1);
		return hd_fail(err, HD_ENO, "%s: lines %zu to %zu were inserted", path, i + 1, k);
	}
	if (i + 1 < l->n &&
		l->items[i + 1].n == i + 2) /* the next line has its expected number, so no line was added or removed */
		return hd_fail(err, HD_ENO, "%s: line %zu was changed", path, i + 1);
	if (bad->n > i + 1 && find(l, 0, i + 1) == l->n) {
		if (bad->n == i + 2)
			return hd_fail(err, HD_ENO, "%s: line %zu was removed; the next one is in its place",
				path, i + 1);
		return hd_fail(err, HD_ENO, "%s: lines %zu to %llu were removed before what is line %zu now", path,
			i + 1, (unsigned long long)bad->n - 1, i + 1);
	}
	if (bad->n && bad->n != i + 1)
		return hd_fail(err, HD_ENO, "%s: line %zu was moved or inserted: its number is %llu", path,
			i + 1, (unsigned long long)bad->n);
	return hd_fail(err, HD_ENO, "%s: line %zu was changed", path, i + 1);
}

static bool is_footer(const struct line *l)
{
	static const char start[] = "{\"kind\":\"footer\",";

	return l->formed && l->len > strlen(start) && !memcmp(l->text, start, strlen(start));
}

static int check(const struct lines *l, const char *path, struct hd_err *err)
{
	char before[HD_SHA256_HEX] = HD_CHAIN_START;

	for (size_t i = 0; i < l->n; i++) {
		if (i && is_footer(&l->items[i - 1]))
			return hd_fail(err, HD_ENO, "%s: line %zu was added after the footer", path, i + 1);
		if (l->items[i].n != i + 1 || !follows(&l->items[i], before))
			return fail_at(l, i, before, path, err);
		memcpy(before, claimed(&l->items[i]), 64);
	}
	if (!is_footer(&l->items[l->n - 1]))
		return hd_fail(err, HD_ENO, "%s: the file was cut off after line %zu: there is no footer", path, l->n);
	return 0;
}

int hd_witness_lines(struct hd_witness_line **lines, size_t *n, const char *text, size_t len, const char *path,
	struct hd_err *err)
{
	static const char start[] = "{\"format\":\"hotdrift.witness\",";
	struct lines l = { 0 };
	int rc = 0;

	*lines = NULL;
	*n = 0;
	if (len < strlen(start) || memcmp(text, start, strlen(start)))
		return hd_fail(err, HD_EFORMAT, "%s: not a witness: its first line does not begin with %s",
			path, start);
	split(&l, text, len);
	rc = check(&l, path, err);
	if (rc >= 0) {
		*lines = hd_new_array(struct hd_witness_line, l.n);
		*n = l.n;
		for (size_t i = 0; i < l.n; i++)
			(*lines)[i] = (struct hd_witness_line){ l.items[i].text, l.items[i].len };
	}
	free(l.items);
	return rc;
}
