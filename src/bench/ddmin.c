/*
 * ddmin.c - see ddmin.h
 */
#include "bench/ddmin.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct reducing {
	size_t *items, n;
	size_t *candidate;		/* room for n items */
	hd_ddmin_test *test;
	void *context;
	unsigned *budget;
	struct hd_err *err;
};

/* Test candidate[0..n-1].  If these items still show the failure, they become the current set. */
static int attempt(struct reducing *r, size_t n)
{
	int rc;

	if (!n || n == r->n || !*r->budget)
		return 0;
	--*r->budget;
	rc = r->test(r->context, r->candidate, n, r->err);
	if (rc > 0) {
		memcpy(r->items, r->candidate, n * sizeof(*r->items));
		r->n = n;
	}
	return rc;
}

/*
 * Return the index of the first item of chunk i.  The current set is divided into `parts` chunks of nearly equal size.
 */
static size_t start_of(const struct reducing *r, size_t i, size_t parts)
{
	return i * (r->n / parts) + (i < r->n % parts ? i : r->n % parts);
}

static int attempt_chunk(struct reducing *r, size_t i, size_t parts)
{
	size_t from = start_of(r, i, parts), to = start_of(r, i + 1, parts);

	memcpy(r->candidate, r->items + from, (to - from) * sizeof(*r->items));
	return attempt(r, to - from);
}

static int attempt_complement(struct reducing *r, size_t i, size_t parts)
{
	size_t from = start_of(r, i, parts), to = start_of(r, i + 1, parts);

	memcpy(r->candidate, r->items, from * sizeof(*r->items));
	memcpy(r->candidate + from, r->items + to, (r->n - to) * sizeof(*r->items));
	return attempt(r, r->n - (to - from));
}

/*
 * Try to remove a part of the current set.  Returns 1 and sets *parts for the next step if that succeeded; 0 if neither
 * a chunk nor a complement still shows the failure, or if the budget is used up; < 0 if a test fails.
 */
static int reduce(struct reducing *r, size_t *parts)
{
	int rc = 0;

	for (size_t i = 0; i < *parts && rc == 0; i++)
		rc = attempt_chunk(r, i, *parts);
	if (rc > 0)
		*parts = 2;
	/* With two chunks, the complement of one is the other. */
	for (size_t i = 0; i < *parts && rc == 0 && *parts > 2; i++) {
		rc = attempt_complement(r, i, *parts);
		if (rc > 0)
			--*parts;
	}
	return rc;
}

int hd_ddmin(size_t *items, size_t *n, hd_ddmin_test *test, void *context, unsigned *budget, struct hd_err *err)
{
	struct reducing r = { items, *n, hd_new_array(size_t, *n + 1), test, context, budget, err };
	size_t parts = 2;
	int rc = 0;

	while (rc >= 0 && r.n > 1 && *budget) {
		if (parts > r.n)
			parts = r.n;
		rc = reduce(&r, &parts);
		if (rc == 0) {
			if (parts == r.n)
				break;
			parts *= 2;
		}
	}
	*n = r.n;
	free(r.candidate);
	return rc < 0 ? rc : 0;
}
