/*
 * fuzz_sametext.c - compare any two texts, which the first byte 0x1e separates
 *
 * Invariants: a text equals itself; the comparison is symmetric; a reported difference is inside both texts; a larger
 * tolerance never turns "equal" into "different"; texts that differ only in blanks between words stay equal.
 */
#include "base/mem.h"
#include "bench/text_compare.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_place(const struct hd_text_compare *t, const char *a, size_t na, const char *b, size_t nb)
{
	if (t->same != HD_SAME_NOT)
		return;
	assert(t->line >= 1 && t->na <= HD_SAME_SHOWN && t->nb <= HD_SAME_SHOWN);
	assert(t->a >= a && t->a + t->na <= a + na && t->b >= b && t->b + t->nb <= b + nb);
}

/* Copy the text, and add a tab after each blank.  Returns the length of the copy. */
static size_t widen(char *to, const char *a, size_t na)
{
	size_t n = 0;

	for (size_t i = 0; i < na; i++) {
		to[n++] = a[i];
		if (a[i] == ' ')
			to[n++] = '\t';
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *mark = size ? memchr(data, 0x1e, size) : NULL;
	size_t na = mark ? (size_t)(mark - data) : size, nb = mark ? size - na - 1 : 0;
	/* Copies of the exact size, so that a sanitizer detects reads past the end. */
	char *a = hd_alloc(na + 1), *b = hd_alloc(nb + 1), *wide = hd_alloc(2 * na + 1);
	struct hd_text_compare ab, ba, loose, self;

	a = hd_realloc(a, na ? na : 1, 1);
	b = hd_realloc(b, nb ? nb : 1, 1);
	if (na)
		memcpy(a, data, na);
	if (nb)
		memcpy(b, mark + 1, nb);
	hd_text_compare(&ab, a, na, b, nb, 1e-6, 0);
	hd_text_compare(&ba, b, nb, a, na, 1e-6, 0);
	assert(ab.same == ba.same);
	check_place(&ab, a, na, b, nb);
	check_place(&ba, b, nb, a, na);
	hd_text_compare(&loose, a, na, b, nb, 1e-3, 1e-3);
	assert(ab.same == HD_SAME_NOT || loose.same == ab.same);
	hd_text_compare(&self, a, na, a, na, 0, 0);
	assert(self.same == HD_SAME_BYTES);
	hd_text_compare(&self, a, na, wide, widen(wide, a, na), 0, 0);
	assert(self.same != HD_SAME_NOT);
	free(a);
	free(b);
	free(wide);
	return 0;
}
