/*
 * hotspot_changes.c - see hotspot_changes.h
 */
#include "history/hotspot_changes.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static int differ(const char *what, const char *base, const char *head, struct hd_err *err)
{
	return hd_fail(err, HD_ENOBASE, "not comparable: %s is %s in the base and %s in the head", what,
		base ? base : "unknown", head ? head : "unknown");
}

static int comparable(const struct hd_stored_run *base, const struct hd_stored_event *be,
	const struct hd_stored_run *head, const struct hd_stored_event *he, struct hd_err *err)
{
	const struct { const char *what, *base, *head;
	} fields[] = {
		{ "the target", base->target, head->target },
		{ "the mode", base->mode, head->mode },
		{ "the event", be->name, he->name },
		{ "the unit", be->unit, he->unit },
		{ "the inline mode", base->inline_mode, head->inline_mode },
		{ "the selection", base->selection ? base->selection : "(all)",
			head->selection ? head->selection : "(all)" },
		{ "the machine", base->machine, head->machine },
	};

	for (size_t i = 0; i < HD_COUNT(fields); i++)
		if (!same_text(fields[i].base, fields[i].head))
			return differ(fields[i].what, fields[i].base, fields[i].head, err);
	return 0;
}

static bool same_spot(const struct hd_stored_hotspot *a, const struct hd_stored_hotspot *b)
{
	return a->symbol == b->symbol && (a->linkage || same_text(a->vaddr, b->vaddr));
}

static size_t shown(const struct hd_stored_event *e, unsigned top)
{
	return e->nhotspots < top ? e->nhotspots : top;
}

/* Count the hotspots before hotspot i that have the same symbol.  Hotspots are loaded from rank 1 on. */
static size_t nth(const struct hd_stored_event *e, size_t i)
{
	size_t n = 0;

	for (size_t k = 0; k < i; k++)
		n += same_spot(&e->hotspots[k], &e->hotspots[i]);
	return n;
}

/* Look up the same hotspot in another run, at any rank.  *rank and *self are 0 if that run has no row for it. */
static int look_up(struct hd_db *db, const struct hd_stored_run *in, const struct hd_stored_event *e,
	const struct hd_stored_hotspot *h, size_t skip, int64_t *rank, int64_t *self, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	*rank = *self = 0;
	rc = hd_db_query(&r, db, err,
		"SELECT rank, self FROM hotspot WHERE run_id = $1 AND event = $2 AND symbol_id = $3 "
		"AND samples > 0 AND ($4 = 0 OR vaddr = $5) ORDER BY rank LIMIT 1 OFFSET $6",
		"iiiiti", in->row, e->event, h->symbol, (int64_t)(h->linkage == NULL), h->vaddr ? h->vaddr : "",
		(int64_t)skip);
	if (rc >= 0)
		rc = hd_db_next(&r, err);
	if (rc > 0) {
		*rank = hd_col_int(&r, 0);
		*self = hd_col_int(&r, 1);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

/*
 * Add the change of hotspot i of event e to the list.  It is one of the top hotspots of the head or, if `left` is true,
 * one of the base that is no longer among those of the head.
 */
static int add(struct hd_hotspot_changes *c, struct hd_db *db, const struct hd_stored_run *other,
	const struct hd_stored_event *e, const struct hd_stored_event *oe, size_t i, bool left, unsigned top,
	struct hd_err *err)
{
	const struct hd_stored_hotspot *h = &e->hotspots[i];
	struct hd_hotspot_change change = { .spot = h };
	double here = hd_run_load_pct(h->self, e->weight);
	int64_t rank, self;
	int rc;

	rc = look_up(db, other, oe, h, nth(e, i), &rank, &self, err);
	if (rc < 0)
		return rc;
	if (left && rank && rank <= (int64_t)top)
		return 0;	/* the head lists it already */
	change.base_self = left ? h->self : self;
	change.head_self = left ? self : h->self;
	change.base_rank = left ? h->rank : rank;
	change.head_rank = left ? rank : h->rank;
	change.base_pct = left ? here : hd_run_load_pct(self, oe->weight);
	change.head_pct = left ? hd_run_load_pct(self, oe->weight) : here;
	if (left)
		change.kind = HD_HOTSPOT_CHANGE_LEFT;
	else if (!rank || rank > (int64_t)top)
		change.kind = HD_HOTSPOT_CHANGE_ENTERED;
	else if (rank != h->rank)
		change.kind = HD_HOTSPOT_CHANGE_MOVED;
	c->set_changed = c->set_changed || change.kind == HD_HOTSPOT_CHANGE_LEFT ||
		change.kind == HD_HOTSPOT_CHANGE_ENTERED;
	c->items[c->n++] = change;
	return 0;
}

/* A symbol without a row ranks after all others. */
static int64_t place(int64_t rank)
{
	return rank ? rank : INT64_MAX;
}

bool hd_hotspot_change_passed(const struct hd_hotspot_change *a, const struct hd_hotspot_change *b)
{
	if ((a->kind == HD_HOTSPOT_CHANGE_LEFT && b->kind == HD_HOTSPOT_CHANGE_ENTERED) ||
		(a->kind == HD_HOTSPOT_CHANGE_ENTERED && b->kind == HD_HOTSPOT_CHANGE_LEFT))
		return false;
	return (place(a->base_rank) < place(b->base_rank) && place(a->head_rank) > place(b->head_rank)) ||
	       (place(a->base_rank) > place(b->base_rank) && place(a->head_rank) < place(b->head_rank));
}

static bool order_changed(const struct hd_hotspot_changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < i; k++)
			if (hd_hotspot_change_passed(&c->items[i], &c->items[k]))
				return true;
	return false;
}

int hd_hotspot_changes_build(struct hd_hotspot_changes *c, struct hd_db *db, const struct hd_stored_run *base,
	size_t base_event, const struct hd_stored_run *head, size_t head_event, unsigned top, struct hd_err *err)
{
	const struct hd_stored_event *be = &base->events[base_event], *he = &head->events[head_event];
	int rc;

	*c = (struct hd_hotspot_changes){ 0 };
	rc = comparable(base, be, head, he, err);
	if (rc < 0)
		return rc;
	c->items = hd_new_array(struct hd_hotspot_change, shown(he, top) + shown(be, top));
	for (size_t i = 0; i < shown(he, top) && rc >= 0; i++)
		rc = add(c, db, base, he, be, i, false, top, err);
	for (size_t i = 0; i < shown(be, top) && rc >= 0; i++)
		rc = add(c, db, head, be, he, i, true, top, err);
	c->order_changed = order_changed(c);
	if (rc < 0)
		hd_hotspot_changes_release(c);
	return rc;
}

void hd_hotspot_changes_release(struct hd_hotspot_changes *c)
{
	free(c->items);
	*c = (struct hd_hotspot_changes){ 0 };
}
