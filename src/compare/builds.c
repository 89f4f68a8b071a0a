/*
 * builds.c - see builds.h
 */
#include "compare/builds.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAIN_OBJECT 0.005	/* what costs less of a side decides nothing about its build */

static int know(struct hd_builds *b, struct hd_db *db, int64_t id, uint32_t *at, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	*at = hd_map_get(&b->at, (uint64_t)id);
	if (*at != HD_MAP_NONE)
		return 0;
	rc = hd_db_ask(&r, db, err, "SELECT path, path_raw, build_id, kernel FROM object WHERE id = $1", "i", id);
	if (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *path = hd_col_raw_name(&r, 0), *slash = path ? strrchr(path, '/') : NULL;

		HD_GROW(b->items, b->n + 1, b->cap);
		*at = (uint32_t)b->n++;
		b->items[*at] = (struct hd_builds_object){ path ? hd_strdup(slash ? slash + 1 : path) : NULL, hd_col_text(&r, 2),
							   hd_col_int(&r, 3) != 0, hd_new_array(double, b->nruns + 1) };
		hd_map_put(&b->at, (uint64_t)id, *at);
		free(path);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

int hd_builds_add(struct hd_builds *b, struct hd_db *db, int64_t object, size_t run, double cost, struct hd_err *err)
{
	uint32_t at;
	int rc = know(b, db, object, &at, err);

	if (rc >= 0 && at != HD_MAP_NONE)
		b->items[at].cost[run] += cost;
	return rc;
}

static double side_cost(const struct hd_builds *b, const struct hd_builds_object *o, const struct hd_side_run *const *runs, size_t from,
			size_t to)
{
	double sum = 0, all = 0;

	for (size_t r = from; r < to; r++) {
		sum += o->cost[r];
		all += runs[r]->weight;
	}
	return all > 0 ? sum / all : 0;
}

bool hd_builds_same(const struct hd_builds *b, const struct hd_side_run *const *runs, size_t base, struct hd_buf *name)
{
	const struct hd_builds_object *main_object = NULL;
	bool same = true;
	double most = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct hd_builds_object *o = &b->items[i];
		double in_base = side_cost(b, o, runs, 0, base), in_head = side_cost(b, o, runs, base, b->nruns);

		if (o->kernel || !o->name || fmax(in_base, in_head) < MAIN_OBJECT)
			continue;
		same = same && o->build;
		for (size_t r = 0; r < b->nruns && same; r++)
			same = o->cost[r] > 0;
		if (in_base + in_head > most) {
			most = in_base + in_head;
			main_object = o;
		}
	}
	if (main_object && main_object->build)
		hd_buf_addf(name, "%s %s", main_object->name, main_object->build);
	return same && main_object;
}

void hd_builds_release(struct hd_builds *b)
{
	for (size_t i = 0; i < b->n; i++) {
		free(b->items[i].name);
		free(b->items[i].build);
		free(b->items[i].cost);
	}
	free(b->items);
	hd_map_release(&b->at);
	*b = (struct hd_builds){ 0 };
}
