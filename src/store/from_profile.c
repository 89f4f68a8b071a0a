/*
 * from_profile.c - see from_profile.h
 */
#include "store/from_profile.h"

#include "analysis/top.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The text of a build-id, NULL when there is none or it is something else. */
static const char *build_id_of(const struct hd_profile *p, const struct hd_object *o)
{
	const char *id = hd_profile_str(p, o->build_id);
	size_t n = strlen(id);

	return n >= 2 && n <= 40 && strspn(id, "0123456789abcdef") == n ? id : NULL;
}

static struct hd_run_hotspot hotspot_of(const struct hd_profile *p, const struct hd_top_row *row)
{
	const struct hd_symbol *s = &p->symbols[row->symbol];
	const struct hd_object *o = &p->objects[s->object];
	struct hd_run_hotspot h = {
		.object = o->unknown || !s->object ? NULL : hd_profile_str(p, o->name),
		.build_id = build_id_of(p, o),
		.kernel = s->kernel || o->kernel,
		.vaddr = s->start, .has_vaddr = s->start || s->size,
		.self = row->self, .total = row->total, .samples = row->samples,
	};

	if (!s->unresolved) {
		h.name = hd_profile_str(p, s->name);
		h.linkage = s->linkage ? hd_profile_str(p, s->linkage) : h.name;
	}
	return h;
}

static struct hd_run_hotspot *hotspots_of(const struct hd_profile *p, uint32_t event, size_t *n)
{
	struct hd_run_hotspot *all;
	struct hd_top top;

	hd_top_build(&top, p, event, false);
	all = hd_new_array(struct hd_run_hotspot, top.n);
	for (size_t i = 0; i < top.n; i++)
		all[i] = hotspot_of(p, &top.rows[i]);
	*n = top.n;
	hd_top_release(&top);
	return all;
}

void hd_run_from_profile(struct hd_run *run, struct hd_run_parts *parts, const struct hd_profile *p)
{
	*parts = (struct hd_run_parts){
		.events = hd_new_array(struct hd_run_event, p->nevents),
		.hotspots = hd_new_array(struct hd_run_hotspot *, p->nevents),
		.dropped = hd_new_array(struct hd_run_dropped, p->ndropped),
		.nevents = p->nevents,
	};
	for (size_t i = 0; i < p->nevents; i++) {
		const struct hd_event *e = &p->events[i];
		size_t n;

		parts->hotspots[i] = hotspots_of(p, (uint32_t)i, &n);
		parts->events[i] = (struct hd_run_event){
			.name = hd_profile_str(p, e->name), .unit = hd_profile_str(p, e->unit),
			.samples = e->samples, .weight = e->weight, .lost = e->lost,
			.hotspots = parts->hotspots[i], .nhotspots = n,
		};
	}
	for (size_t i = 0; i < p->ndropped; i++)
		parts->dropped[i] = (struct hd_run_dropped){ p->dropped[i].reason, p->dropped[i].count };
	run->events = parts->events;
	run->nevents = parts->nevents;
	run->dropped = parts->dropped;
	run->ndropped = p->ndropped;
	run->read = p->read;
	run->kept = p->kept;
	run->inline_mode = "no-inline";
}

void hd_run_parts_release(struct hd_run_parts *parts)
{
	for (size_t i = 0; i < parts->nevents; i++)
		free(parts->hotspots[i]);
	free(parts->hotspots);
	free(parts->events);
	free(parts->dropped);
	*parts = (struct hd_run_parts){ 0 };
}
