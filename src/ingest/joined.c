/*
 * joined.c - see joined.h
 */
#include "ingest/joined.h"

#include "base/mem.h"
#include "ingest/gpu.h"
#include "ingest/launches.h"

#include <stdlib.h>
#include <string.h>

/* Names of one side of --event; the caller frees .items. */
static struct hd_words events_of(const struct hd_words *all, bool gpu)
{
	struct hd_words w = { .items = hd_new_array(const char *, all->n + 1) };

	for (size_t i = 0; i < all->n; i++)
		if (!strncmp(all->items[i], "gpu-", 4) == gpu)
			w.items[w.n++] = all->items[i];
	return w;
}

/* Read the recording with the marker's samples, each correlation id apart. */
static int read_recording(struct hd_profile **out, const char *path, const struct hd_ingest_opts *opts, struct hd_err *err)
{
	struct hd_ingest_opts o = *opts;
	int rc;

	if (opts->fields.n >= HD_FIELDS_MAX)
		return hd_fail(err, HD_EUSAGE, "--gpu-trace needs a field for itself: at most %d fields can be kept apart", HD_FIELDS_MAX - 1);
	o.gpu_trace = NULL;
	o.launches = true;
	o.keys |= HD_KEY_PID;
	o.fields = (struct hd_words){ .items = hd_new_array(const char *, opts->fields.n + 1), .n = opts->fields.n + 1 };
	for (size_t i = 0; i < opts->fields.n; i++)
		o.fields.items[i] = opts->fields.items[i];
	o.fields.items[opts->fields.n] = HD_LAUNCH_FIELD;
	o.select.event = events_of(&opts->select.event, false);
	/* The marker is read in any case; a name that no other event has selects it alone. */
	if (opts->select.event.n && !o.select.event.n)
		o.select.event.items[o.select.event.n++] = HD_LAUNCH_MARKER;
	rc = hd_ingest(out, path, &o, err);
	free(o.fields.items);
	free(o.select.event.items);
	return rc;
}

static int join(struct hd_profile *p, const char *path, const struct hd_ingest_opts *opts, struct hd_err *err)
{
	struct hd_ingest_opts o = { .select = opts->select, .keys = opts->keys, .full_names = opts->full_names, .squares = opts->squares };
	struct hd_launches l = { 0 };
	int rc = 0;

	hd_launches_build(&l, p, opts->fields.n);
	if (!l.samples)
		rc = hd_fail(err, HD_EFORMAT, "%s: has no sample of " HD_LAUNCH_MARKER ", by which %s is joined; docs/gpu.md has the two commands that record it",
			     path, opts->gpu_trace);
	else if (!p->recording.monotonic)
		rc = hd_fail(err, HD_EFORMAT, "%s: its times are not CLOCK_MONOTONIC, as those of %s are; record it with perf record -k CLOCK_MONOTONIC",
			     path, opts->gpu_trace);
	o.select.event = events_of(&opts->select.event, true);
	o.select.filter = o.select.weight_field = NULL;
	if (o.select.weight > HD_WEIGHT_SAMPLES)
		o.select.weight = HD_WEIGHT_PERIOD;
	if (rc >= 0 && (o.select.event.n || !opts->select.event.n))
		rc = hd_ingest_gpu_onto(p, opts->gpu_trace, &l, &o, err);
	free(o.select.event.items);
	hd_launches_release(&l);
	return rc;
}

int hd_ingest_joined(struct hd_profile **out, const char *path, const struct hd_ingest_opts *opts, struct hd_err *err)
{
	int rc = read_recording(out, path, opts, err);

	if (rc >= 0)
		rc = join(*out, path, opts, err);
	if (rc >= 0)
		(*out)->keys = opts->keys;
	return rc;
}
