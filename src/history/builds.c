/*
 * builds.c - see builds.h
 */
#include "history/builds.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAIN_OBJECT 0.005	/* a smaller share of a side does not matter for its build */

static uint32_t text(struct hd_builds *b, const char *s)
{
	return s ? hd_strtab_add(b->texts, s) : 0;
}

/* Return the item of (name, build), added if it is new. */
static uint32_t item_of(struct hd_builds *b, const char *path, const char *build, bool kernel)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	uint32_t name = text(b, slash && slash[1] ? slash + 1 : path), id = text(b, build);
	uint64_t key = (uint64_t)name << 32 | id;
	uint32_t at = hd_map_get(&b->by_key, key);

	if (at != HD_MAP_NONE)
		return at;
	HD_GROW(b->items, b->n + 1, b->cap);
	at = (uint32_t)b->n++;
	b->items[at] = (struct hd_builds_object){ name, id, kernel, hd_new_array(double, b->nruns + 1) };
	hd_map_put(&b->by_key, key, at);
	return at;
}

static int load_object(struct hd_builds *b, struct hd_db *db, int64_t id, uint32_t *at, struct hd_err *err)
{
	struct hd_db_rows r;
	int rc;

	*at = hd_map_get(&b->at, (uint64_t)id);
	if (*at != HD_MAP_NONE)
		return 0;
	if (!b->texts)
		b->texts = hd_strtab_new();
	rc = hd_db_query(&r, db, err, "SELECT path, path_raw, build_id, kernel FROM object WHERE id = $1", "i", id);
	if (rc >= 0 && (rc = hd_db_next(&r, err)) > 0) {
		char *path = hd_col_raw_name(&r, 0), *build = hd_col_text(&r, 2);

		*at = item_of(b, path, build, hd_col_int(&r, 3) != 0);
		hd_map_put(&b->at, (uint64_t)id, *at);
		free(path);
		free(build);
	}
	hd_db_end(&r);
	return rc < 0 ? rc : 0;
}

int hd_builds_add(struct hd_builds *b, struct hd_db *db, int64_t object, size_t run, double cost, struct hd_err *err)
{
	uint32_t at;
	int rc = load_object(b, db, object, &at, err);

	if (rc >= 0 && at != HD_MAP_NONE)
		b->items[at].cost[run] += cost;
	return rc;
}

static double side_cost(const struct hd_builds *b, const struct hd_builds_object *o,
	const struct hd_run_set_member *const *runs, size_t from, size_t to)
{
	double sum = 0, all = 0;

	for (size_t r = from; r < to; r++) {
		sum += o->cost[r];
		all += runs[r]->weight;
	}
	return all > 0 ? sum / all : 0;
}

/* Return true for a mapping without a file: [vdso], [heap], anonymous memory with generated code. */
static bool is_no_file(const char *name)
{
	return *name == '[' || !strcmp(name, "anon");
}

static bool in_all_runs(const struct hd_builds *b, const struct hd_builds_object *o)
{
	for (size_t r = 0; r < b->nruns; r++)
		if (!(o->cost[r] > 0))
			return false;
	return true;
}

/*
 * Return true if base and head used this build `o` of an object.  A main object (share >= MAIN_OBJECT) must have a cost
 * in every run.  Any other one must have a cost on each side on which some build of its name has one.
 *
 * share: the share of `o` in the cost of base and head.  names: for each object name, bit 0 is set if a build of this
 * name has a cost in the base, bit 1 if one has a cost in the head.
 */
static bool agrees(const struct hd_builds *b, const struct hd_builds_object *o, const double share[2],
	const uint8_t *names)
{
	bool is_main = fmax(share[0], share[1]) >= MAIN_OBJECT;

	if (!is_main && is_no_file(hd_strtab_get(b->texts, o->name)))
		return true;
	if (!o->build)
		return false;
	if (is_main)
		return in_all_runs(b, o);
	return (share[0] > 0 || !(names[o->name] & 1)) && (share[1] > 0 || !(names[o->name] & 2));
}

bool hd_builds_same(const struct hd_builds *b, const struct hd_run_set_member *const *runs, size_t base,
	struct hd_buf *name)
{
	const struct hd_builds_object *main_object = NULL;
	uint8_t *names = hd_zalloc(b->texts ? hd_strtab_count(b->texts) + 1 : 1, 1);
	double most = 0;
	bool same = true;

	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < b->n; i++) {
			const struct hd_builds_object *o = &b->items[i];
			double share[2] = { side_cost(b, o, runs, 0, base), side_cost(b, o, runs, base, b->nruns) };

			if (o->kernel || !o->name || !(share[0] + share[1] > 0))
				continue;
			if (!pass) {
				names[o->name] |= (uint8_t)((share[0] > 0) | (share[1] > 0) << 1);
				continue;
			}
			same = same && agrees(b, o, share, names);
			if (fmax(share[0], share[1]) >= MAIN_OBJECT && share[0] + share[1] > most) {
				most = share[0] + share[1];
				main_object = o;
			}
		}
	if (main_object && main_object->build)
		hd_buf_addf(name, "%s %s", hd_strtab_get(b->texts, main_object->name),
			hd_strtab_get(b->texts, main_object->build));
	free(names);
	return same && main_object;
}

void hd_builds_release(struct hd_builds *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->items[i].cost);
	free(b->items);
	hd_strtab_free(b->texts);
	hd_map_release(&b->at);
	hd_map_release(&b->by_key);
	*b = (struct hd_builds){ 0 };
}
