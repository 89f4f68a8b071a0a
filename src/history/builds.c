/*
 * builds.c - see builds.h
 */
#include "history/builds.h"

#include "base/mem.h"
#include "db/row_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAIN_OBJECT 0.005	/* an object with at least this part of the cost of base or head must be in all runs */

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

struct object_row {
	int64_t id;
	const char *path, *build;
	bool kernel;
};
static const struct hd_row_field object_fields[] = {
	HD_ROW(struct object_row, id, "id", INT),
	HD_ROW(struct object_row, path, "path", NAME),
	HD_ROW(struct object_row, build, "build_id", TEXT),
	HD_ROW(struct object_row, kernel, "kernel", TRUE),
};
static const struct hd_row_query some_objects = HD_ROW_QUERY(struct object_row, object_fields,
	"FROM object WHERE id IN [$1] ORDER BY id");

int hd_builds_load(struct hd_builds *b, struct hd_db *db, const int64_t *ids, size_t n, struct hd_err *err)
{
	int64_t *new_ids = hd_new_array(int64_t, n + 1);
	struct hd_arena arena = { 0 };
	struct hd_row_list list = { 0 };
	size_t many = 0;
	int rc = 0;

	if (!b->texts)
		b->texts = hd_strtab_new();
	for (size_t i = 0; i < n; i++)
		if (!hd_map_has(&b->at, (uint64_t)ids[i]))
			new_ids[many++] = ids[i];
	if (many)
		rc = hd_row_load(&list, &some_objects, db, &arena, err, "l", new_ids, many);
	for (size_t i = 0; i < many && rc >= 0; i++) {
		const struct object_row *rows = list.items;
		size_t at = hd_row_list_find(&list, &some_objects, new_ids[i]);

		if (at < list.n && rows[at].id == new_ids[i])
			hd_map_put(&b->at, (uint64_t)new_ids[i],
				item_of(b, rows[at].path, rows[at].build, rows[at].kernel));
	}
	free(list.items);
	hd_arena_release(&arena);
	free(new_ids);
	return rc < 0 ? rc : 0;
}

void hd_builds_add(struct hd_builds *b, int64_t object, size_t run, double cost)
{
	uint32_t at = hd_map_get(&b->at, (uint64_t)object);

	if (at != HD_MAP_NONE)
		b->items[at].cost[run] += cost;
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
 * Return true if base and head used this build `o` of an object.  A main object (`share` >= MAIN_OBJECT) must have a
 * cost in every run.  Any other object must have a cost on each side on which any build of the same name has one.
 * share: the part of base's and head's cost that is in `o`. names: indexed by object name; bit 0 is set if a build of
 * this name has a cost in the base, bit 1 if one has a cost in the head.
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
