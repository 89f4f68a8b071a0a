/*
 * either.c - see either.h
 */
#include "cli/either.h"

#include "base/encode.h"
#include "base/mem.h"
#include "cli/runs.h"
#include "ingest/folded.h"
#include "store/blob.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folded(const struct hd_profile *p)
{
	return p->recording.format && !strcmp(p->recording.format, "folded");
}

/* ---- a file ---- */

static int read_file(struct hd_either *e, const char *path, const char *event, const struct hd_input *in, struct hd_log *log, struct hd_err *err)
{
	int rc = hd_input_read_samples(&e->p, path, in, log, err);

	if (rc < 0)
		return rc;
	e->event = hd_input_main_event(e->p);
	if (!event || is_folded(e->p)) {
		hd_input_note_other_events(e->p, e->event, log);
		return 0;
	}
	for (uint32_t i = 0; i < e->p->nevents; i++) {
		const char *name = hd_profile_str(e->p, e->p->events[i].name);
		size_t n = strlen(event);

		if (e->p->events[i].samples && !strncmp(name, event, n) && (!name[n] || name[n] == ':')) {
			e->event = i;
			return 0;
		}
	}
	return hd_fail(err, HD_EFORMAT, "%s: has no samples of an event '%s'", path, event);
}

/* ---- a run ---- */

static int from_stacks(struct hd_either *e, struct hd_db *db, const struct hd_past_event *of, const struct hd_past *run, struct hd_err *err)
{
	static const struct hd_ingest_opts plain = { .keys = HD_KEY_COMM };
	struct hd_buf text = { 0 };
	int fd, rc = hd_blob_get(db, of->stacks, &text, err);

	if (rc == 0)
		rc = hd_fail(err, HD_EFORMAT, "%s: the stacks of run %s are gone", hd_db_name(db), run->id);
	if (rc < 0)
		return rc;
	fd = hd_file_temporary(run->id, err);
	rc = fd < 0 ? fd : hd_file_pwrite(fd, text.data, text.len, 0, run->id, err);
	hd_buf_release(&text);
	if (rc >= 0)
		rc = hd_ingest_folded(e->p, fd, run->id, &plain, err);
	if (fd >= 0)
		close(fd);
	return rc < 0 ? rc : 0;
}

/* Functions without callers, as stacks of one frame. */
static void from_hotspots(struct hd_either *e, const struct hd_past_event *of)
{
	uint32_t object = hd_profile_add_object(e->p, "[run]", "", false);

	hd_profile_add_event(e->p, of->name, of->unit);
	for (size_t i = 0; i < of->nhotspots; i++) {
		const struct hd_past_hotspot *h = &of->hotspots[i];
		struct hd_sample_row row = { .weight = h->self > 0 ? (uint64_t)h->self : 0, .count = h->samples > 0 ? (uint64_t)h->samples : 0 };
		struct hd_frame f = { .symbol = hd_profile_add_named_symbol(e->p, object, h->name ? h->name : h->vaddr ? h->vaddr : HD_UNKNOWN, false) };

		row.self = hd_profile_add_frame(e->p, &f);
		row.stack = hd_stacks_add(e->p->stacks, (hd_stack_id){ 0 }, row.self);
		hd_profile_add_sample(e->p, &row);
	}
}

static int load_run(struct hd_either *e, struct hd_db *db, const char *what, const char *event, struct hd_log *log, struct hd_err *err)
{
	const struct hd_past_event *of;
	struct hd_past past = { 0 };
	size_t number = 0;
	int64_t row;
	int rc = hd_past_find(db, what, &row, err);

	if (rc >= 0)
		rc = hd_past_load(&past, db, row, UINT_MAX, err);
	if (rc < 0)
		return rc;
	rc = hd_runs_event(&past, event, &number, err);
	if (rc < 0)
		goto out;
	of = &past.events[number];
	e->p = hd_profile_new();
	e->p->keys = of->stacks ? HD_KEY_COMM : 0;
	if (of->stacks) {
		rc = from_stacks(e, db, of, &past, err);
	} else {
		hd_warn(log, "diff.no-stacks", "add it without --no-stacks", "run %s: was added without its stacks, so that only functions are compared",
			past.id);
		from_hotspots(e, of);
	}
	if (rc < 0)
		goto out;
	e->p->recording.format = NULL;
	e->p->events[0].name = hd_profile_name(e->p, of->name);
	e->p->events[0].unit = hd_profile_name(e->p, of->unit);
	if (of->samples > 0 && strcmp(of->unit, "samples")) {
		e->p->events[0].samples = (uint64_t)of->samples;
		e->samples = of->effective > 0 ? of->effective : (double)of->samples;	/* of varying periods fewer say as much */
	} else {
		e->p->recording.format = "folded";
	}
	e->p->recording.path = hd_strdup(past.id);
	e->run = hd_strdup(past.id);
	e->machine = past.machine ? hd_strdup(past.machine) : NULL;
	e->config = past.config ? hd_strdup(past.config) : NULL;
	e->inline_mode = hd_strdup(past.inline_mode);
	e->target = hd_strdup(past.target);
out:
	hd_past_release(&past);
	return rc;
}

int hd_either_read(struct hd_either *e, const char *what, const char *event, const struct hd_input *in, const struct hd_dbarg *arg,
		   struct hd_log *log, struct hd_err *err)
{
	bool run = !strncmp(what, "run:", 4);
	struct hd_err why;
	struct hd_db *db;
	struct stat st;
	int rc;

	*e = (struct hd_either){ 0 };
	if (!run && (!strcmp(what, "-") || stat(what, &st) == 0 || errno != ENOENT))
		rc = read_file(e, what, event, in, log, err);
	else {
		rc = hd_dbarg_open(&db, arg, HD_DB_READ, 0, &why);
		if (rc < 0)
			return run ? hd_fail(err, rc, "%s", why.msg)
				   : hd_fail(err, HD_EFORMAT, "%s: there is no such file, and as a run's name: %s", what, why.msg);
		rc = load_run(e, db, run ? what + 4 : what, event, log, &why);
		hd_db_close(db);
		if (rc < 0)
			hd_fail(err, rc, "%s%s%s", run ? "" : what, run ? "" : ": there is no such file, and as a run's name: ", why.msg);
	}
	if (rc < 0)
		hd_either_release(e);
	return rc;
}

void hd_either_release(struct hd_either *e)
{
	hd_profile_free(e->p);
	free(e->run);
	free(e->machine);
	free(e->config);
	free(e->inline_mode);
	free(e->target);
	*e = (struct hd_either){ 0 };
}
