/*
 * verified_heads.c - see verified_heads.h
 */
#include "trust/verified_heads.h"

#include "base/mem.h"
#include "trust/word_lines.h"

#include <stdlib.h>
#include <string.h>

#define WORD "hotdrift-head "

static bool parse_line(struct hd_verified_head *h, struct hd_word_lines *l)
{
	char form[2], kind[8];

	*h = (struct hd_verified_head){ .line = l->line };
	if (!hd_word_lines_skip(l, WORD) || !hd_word_lines_take(l, "1", form, sizeof(form)) ||
		!hd_word_lines_take(l, "runsjoal", kind, sizeof(kind)) ||
		!hd_word_lines_take(l, HD_HEX_DIGITS, h->origin, sizeof(h->origin)) ||
		!hd_word_lines_take_number(l, &h->seq) ||
		!hd_word_lines_take(l, HD_HEX_DIGITS, h->hash, sizeof(h->hash)) || l->at != l->stop)
		return false;
	h->journal = !strcmp(kind, "journal");
	return (h->journal || !strcmp(kind, "runs")) && strlen(h->hash) == HD_SHA256_HEX - 1;
}

static int by_origin(const void *a, const void *b)
{
	const struct hd_verified_head *x = a, *y = b;
	int by = strcmp(x->origin, y->origin);

	return by ? by : (x->line > y->line) - (x->line < y->line);
}

static int check_repeated(const struct hd_verified_heads *list, struct hd_err *err)
{
	for (size_t i = 1; i < list->n; i++)
		if (!strcmp(list->items[i - 1].origin, list->items[i].origin))
			return hd_fail(err, HD_EFORMAT, "%s: line %zu has the chain of line %zu again", list->path,
				list->items[i].line, list->items[i - 1].line);
	return 0;
}

int hd_verified_heads_parse(struct hd_verified_heads *list, const char *text, size_t len, const char *path,
	struct hd_err *err)
{
	struct hd_word_lines l = { .next = text, .end = text + len };

	*list = (struct hd_verified_heads){ .path = path };
	while (hd_word_lines_next(&l)) {
		HD_GROW(list->items, list->n + 1, list->cap);
		if (!parse_line(&list->items[list->n], &l))
			return hd_fail(err, HD_EFORMAT,
				"%s: line %zu is not a head of 'hotdrift verify --since FILE': expected '%s1 "
				"runs|journal ORIGIN SEQ HASH'",
				path, l.line, WORD);
		list->n++;
	}
	if (list->n)
		qsort(list->items, list->n, sizeof(*list->items), by_origin);
	return check_repeated(list, err);
}

int hd_verified_heads_read(struct hd_verified_heads *list, const char *path, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int rc = hd_word_lines_read(&text, path, err), parsed;

	if (rc > 0) {
		parsed = hd_verified_heads_parse(list, hd_buf_str(&text), text.len, path, err);
		rc = parsed < 0 ? parsed : rc;
	}
	hd_buf_release(&text);
	return rc;
}

const struct hd_verified_head *hd_verified_heads_find(const struct hd_verified_heads *list, const char *origin,
	bool journal)
{
	size_t lo = 0, hi = list->n;

	while (lo < hi) {
		size_t middle = lo + (hi - lo) / 2;
		int by = strcmp(list->items[middle].origin, origin);

		if (!by)
			return list->items[middle].journal == journal ? &list->items[middle] : NULL;
		if (by < 0)
			lo = middle + 1;
		else
			hi = middle;
	}
	return NULL;
}

void hd_verified_heads_release(struct hd_verified_heads *list)
{
	free(list->items);
	*list = (struct hd_verified_heads){ 0 };
}

static bool is_hex(const char *s, size_t most)
{
	return s && *s && strlen(s) <= most && !s[strspn(s, HD_HEX_DIGITS)];
}

int hd_verified_heads_text(struct hd_buf *out, const struct hd_chain_heads *heads, const char *db_name,
	struct hd_err *err)
{
	hd_buf_adds(out, "# The ends of hash chains that 'hotdrift verify --since FILE' has verified.\n");
	for (size_t i = 0; i < heads->n; i++) {
		const struct hd_chain_head *h = &heads->items[i];

		if (h->seq <= 0 || !h->hash)
			continue;
		if (!is_hex(h->origin, HD_ORIGIN_MAX - 1) || !is_hex(h->hash, HD_SHA256_HEX - 1))
			return hd_fail(err, HD_ENO, "%s: chain %.40s: its name or hash is not hexadecimal", db_name,
				h->origin ? h->origin : "without a name");
		hd_buf_addf(out, WORD "1 %s %s %lld %s\n", hd_chain_head_is_of(h, "journal") ? "journal" : "runs",
			h->origin, (long long)h->seq, h->hash);
	}
	return 0;
}
