/*
 * differential_shrink.c - make an input small; see differential.h
 */
#include "bench/differential.h"

#include "base/mem.h"
#include "bench/ddmin.h"
#include "track/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text divided into units: lines with their line ends, or words with the blanks that follow them. */
struct units {
	struct hd_differential *d;
	const char *text;
	size_t *start;			/* n + 1 offsets */
	size_t n;
	struct hd_buf joined;
};

static void divide(struct units *u, const char *text, size_t len, bool lines)
{
	size_t cap = 0;

	u->text = text;
	u->n = 0;
	u->start = NULL;
	for (size_t i = 0; i < len;) {
		HD_GROW(u->start, u->n + 2, cap);
		u->start[u->n++] = i;
		while (i < len && text[i] != '\n' && (lines || text[i] != ' '))
			i++;
		while (i < len && (text[i] == '\n' || (!lines && text[i] == ' '))) {
			i++;
			if (text[i - 1] == '\n')
				break;
		}
	}
	HD_GROW(u->start, u->n + 1, cap);
	u->start[u->n] = len;
}

/*
 * Set u->joined to the units with these n indexes, one after another.  If the original text ended with a line end, the
 * result does as well.
 */
static void join(struct units *u, const size_t *items, size_t n)
{
	bool ends = u->start[u->n] && u->text[u->start[u->n] - 1] == '\n';

	hd_buf_reset(&u->joined);
	for (size_t i = 0; i < n; i++)
		hd_buf_add(&u->joined, u->text + u->start[items[i]], u->start[items[i] + 1] - u->start[items[i]]);
	while (u->joined.len && u->joined.data[u->joined.len - 1] == ' ')
		u->joined.len--;
	if (ends && u->joined.len && u->joined.data[u->joined.len - 1] != '\n')
		hd_buf_addc(&u->joined, '\n');
}

static int test_units(void *context, const size_t *items, size_t n, struct hd_err *err)
{
	struct units *u = context;

	join(u, items, n);
	return hd_differential_test(u->d, hd_buf_str(&u->joined), u->joined.len, err);
}

/* Remove lines or words. */
static int remove_units(struct hd_differential *d, struct hd_buf *text, bool lines, unsigned *budget,
	struct hd_err *err)
{
	struct units u = { .d = d };
	size_t *items, n;
	int rc;

	divide(&u, hd_buf_str(text), text->len, lines);
	n = u.n;
	items = hd_new_array(size_t, n + 1);
	for (size_t i = 0; i < n; i++)
		items[i] = i;
	rc = n > 1 ? hd_ddmin(items, &n, test_units, &u, budget, err) : 0;
	if (rc >= 0 && n < u.n) {
		join(&u, items, n);
		hd_buf_reset(text);
		hd_buf_add(text, hd_buf_str(&u.joined), u.joined.len);
	}
	free(items);
	free(u.start);
	hd_buf_release(&u.joined);
	return rc;
}

/* ---- numbers ---- */

/*
 * Try to replace n bytes at offset `at` by a word.  Returns 1 if the outputs still differ: the replacement is then
 * kept.  Returns 0 if they do not; also, without a test, if the budget is used up, or if the word is not shorter than
 * those n bytes (a single character may replace another one), or equals them.
 */
static int replace(struct hd_differential *d, struct hd_buf *text, size_t at, size_t n, const char *word,
	unsigned *budget, struct hd_err *err)
{
	struct hd_buf other = { 0 };
	int rc;

	if (!*budget || strlen(word) >= n + (strlen(word) == 1))
		return 0;
	if (strlen(word) == n && !memcmp(text->data + at, word, n))
		return 0;
	--*budget;
	hd_buf_add(&other, text->data, at);
	hd_buf_adds(&other, word);
	hd_buf_add(&other, text->data + at + n, text->len - at - n);
	rc = hd_differential_test(d, hd_buf_str(&other), other.len, err);
	if (rc > 0) {
		hd_buf_release(text);
		*text = other;
	} else {
		hd_buf_release(&other);
	}
	return rc;
}

/* Try to remove the minus sign of the word at `at`, then to replace it by a simpler number if it is a number. */
static int simplify_word(struct hd_differential *d, struct hd_buf *text, size_t at, unsigned *budget,
	struct hd_err *err)
{
	static const char *const simple[] = { "0", "1" };
	size_t n = strcspn(text->data + at, " \n");
	struct hd_number number;
	char word[32];
	int rc = 0;

	if (n > 1 && n < sizeof(word) && text->data[at] == '-') {
		memcpy(word, text->data + at + 1, n - 1);
		word[n - 1] = '\0';
		rc = replace(d, text, at, n, word, budget, err);
		if (rc < 0)
			return rc;
		n = strcspn(text->data + at, " \n");
		rc = 0;
	}
	if (hd_number_read(text->data + at, n, &number) != HD_NUMBER)
		return 0;
	if (n == 1 && (text->data[at] == '0' || text->data[at] == '1'))
		return 0;
	for (size_t i = 0; i < HD_COUNT(simple) && rc == 0; i++)
		rc = replace(d, text, at, n, simple[i], budget, err);
	for (int digits = 1; digits <= 16 && rc == 0; digits++) {
		snprintf(word, sizeof(word), "%.*g", digits, number.v);
		rc = replace(d, text, at, n, word, budget, err);
	}
	return rc;
}

static int simplify_numbers(struct hd_differential *d, struct hd_buf *text, unsigned *budget, struct hd_err *err)
{
	int rc = 0;

	for (size_t at = 0; at < text->len && rc >= 0; at += strcspn(text->data + at, " \n")) {
		at += strspn(text->data + at, " \n");
		if (at < text->len)
			rc = simplify_word(d, text, at, budget, err);
	}
	return rc;
}

int hd_differential_shrink(struct hd_differential *d, struct hd_buf *text, struct hd_err *err)
{
	unsigned budget = HD_DIFFERENTIAL_TESTS;
	int rc = remove_units(d, text, true, &budget, err);

	if (rc >= 0)
		rc = remove_units(d, text, false, &budget, err);
	if (rc >= 0 && !memchr(hd_buf_str(text), 0, text->len))
		rc = simplify_numbers(d, text, &budget, err);
	return rc < 0 ? rc : 0;
}
