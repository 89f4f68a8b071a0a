/*
 * run_builder.c - see run_builder.h
 */
#include "history/run_builder.h"

#include "base/mem.h"
#include "profile/folded.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

/* Set size and SHA-256 of a regular file; those of other files stay unknown. */
static int hash_file(struct hd_run_artifact *a, char sum[HD_SHA256_HEX], struct hd_err *err)
{
	struct stat st;
	uint64_t bytes;
	int rc;

	if (stat(a->path, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	rc = hd_sha256_file(a->path, sum, &bytes, err);
	if (rc < 0)
		return rc;
	a->sha256 = sum;
	a->bytes = (int64_t)bytes;
	return 0;
}

int hd_run_builder_files(struct hd_run_builder *m, const struct hd_string_list *named, struct hd_err *err)
{
	size_t most = m->recordings.n + m->csvs.nfiles + named->n, n = 0, own = 0;
	int rc = 0;

	m->artifacts = hd_new_array(struct hd_run_artifact, most);
	m->sums = hd_zalloc(most, sizeof(*m->sums));
	for (size_t i = 0; i < m->recordings.n; i++)
		m->artifacts[n++] = (struct hd_run_artifact){ "recording", m->recordings.items[i], -1, NULL };
	for (size_t i = 0; i < m->csvs.nfiles; i++) {
		const struct hd_run_csv *f = m->csvs.files[i];

		m->artifacts[n++] = (struct hd_run_artifact){ "series", f->path, (int64_t)f->text.len, f->sha256 };
	}
	own = n;
	for (size_t i = 0; i < named->n; i++) {
		bool known = false;

		for (size_t k = 0; k < own; k++)
			known |= !strcmp(named->items[i], m->artifacts[k].path);
		if (!known)
			m->artifacts[n++] = (struct hd_run_artifact){ "file", named->items[i], -1, NULL };
	}
	for (size_t i = 0; i < n && rc >= 0; i++)
		if (!m->artifacts[i].sha256 && strcmp(m->artifacts[i].path, "-"))
			rc = hash_file(&m->artifacts[i], m->sums[i], err);
	m->run.artifacts = m->artifacts;
	m->run.nartifacts = n;
	return rc;
}

int hd_run_builder_config(struct hd_run_builder *m, const char *path, struct hd_err *err)
{
	int rc = path ? hd_config_read(&m->config, path, err) : 0;

	if (rc >= 0 && path)
		m->run.config = &m->config;
	return rc;
}

/* ---- machine and command ---- */

/* Return the first recording; NULL if there is none. */
static const struct hd_recording *first(const struct hd_run_builder *m)
{
	return m->nprofiles ? &m->profiles[0]->recording : NULL;
}

void hd_run_builder_machine(struct hd_run_builder *m, enum hd_machine_choice which)
{
	const struct hd_recording *r = first(m);
	bool known = r && (r->hostname || r->arch || r->cpudesc);

	if (which == HD_MACHINE_HERE || (which == HD_MACHINE_AUTO && !known && m->samples.is_here))
		hd_machine_here(&m->machine, "");
	else if (which == HD_MACHINE_AUTO && known)
		hd_machine_of(&m->machine, r->hostname, r->os_release, r->arch, r->cpudesc, r->nrcpus,
			      r->total_mem_kib <= INT64_MAX / 1024 ? r->total_mem_kib * 1024 : 0, "");
	else
		return;
	m->run.machine = &m->machine;
}

void hd_run_builder_command(struct hd_run_builder *m, const char *command)
{
	const struct hd_recording *r = first(m);

	for (size_t i = 0; r && i < r->ncmdline; i++)
		hd_buf_addf(&m->command, "%s%s", i ? " " : "", r->cmdline[i]);
	m->run.command = command ? command : m->command.len ? m->command.data : m->samples.command;
}

/* ---- recordings ---- */

/*
 * Fold the stacks of an event.  The text's buffer is shrunk to its length, because a recording may
 * have ten thousand events.
 */
static uint64_t fold(struct hd_buf *text, const struct hd_profile *p, uint32_t event, uint64_t most_bytes)
{
	const struct hd_folded_opts plain = { .most_bytes = most_bytes };
	struct hd_outfile out;
	uint64_t left_out;

	hd_outfile_memory(&out);
	left_out = hd_folded_write(&out, p, event, &plain);
	hd_buf_adds(&out.pending, "");		/* makes sure that data is not NULL */
	*text = out.pending;
	text->data = hd_realloc(text->data, text->len + 1, 1);
	text->cap = text->len + 1;
	out.pending = (struct hd_buf){ 0 };
	hd_outfile_discard(&out);
	return left_out;
}

/*
 * Fold the stacks of all events.  The limit applies to the sum of their texts, because all of them are in memory
 * together.
 */
static void keep_stacks(struct hd_run_builder *m, size_t first_event, const struct hd_profile *p, struct hd_log *log)
{
	uint64_t left = hd_folded_most(p), left_out = 0;

	for (size_t i = 0; i < p->nevents; i++) {
		struct hd_run_event *e = &m->events[first_event + i];
		struct hd_buf *text = &m->folded[first_event + i];

		if (!e->samples)
			continue;
		left_out += fold(text, p, (uint32_t)i, left);
		left -= text->len < left ? text->len : left - 1;
		e->folded = hd_buf_str(text);
		e->folded_len = text->len;
	}
	hd_folded_warn_omitted(log, p, left_out);
}

static void add_dropped(struct hd_run_builder *m, const struct hd_run_dropped *d)
{
	for (size_t i = 0; i < m->run.ndropped; i++) {
		if (strcmp(m->dropped[i].reason, d->reason))
			continue;
		m->dropped[i].samples += d->samples;
		return;
	}
	m->dropped[m->run.ndropped++] = *d;
}

/* Check that no two recordings have the same event, because users select an event by its name. */
static int check_once(const struct hd_run_builder *m, size_t recording, size_t first_event, struct hd_err *err)
{
	for (size_t i = first_event; i < m->run.nevents; i++)
		for (size_t k = 0; k < first_event; k++)
			if (!strcmp(m->events[i].name, m->events[k].name) &&
				!strcmp(m->events[i].unit, m->events[k].unit))
				return hd_fail(err, HD_EFORMAT,
					"%s: its event %s is in a recording before it, too; a run has each event once, "
					"so add them as two runs, or select one with --event",
					m->recordings.items[recording], m->events[i].name);
	return 0;
}

int hd_run_builder_join(struct hd_run_builder *m, bool inlined, bool stacks, struct hd_log *log, struct hd_err *err)
{
	uint64_t read = 0, kept = 0;
	size_t events = 0, dropped = 0;
	int rc = 0;

	m->parts = hd_new_array(struct hd_run_profile_arrays, m->nprofiles);
	m->run.inline_mode = inlined ? "inline" : "no-inline";
	for (size_t i = 0; i < m->nprofiles; i++) {
		events += m->profiles[i]->nevents;
		dropped += m->profiles[i]->ndropped;
	}
	m->events = hd_new_array(struct hd_run_event, events);
	m->folded = hd_new_array(struct hd_buf, events);
	m->dropped = hd_new_array(struct hd_run_dropped, dropped);
	m->run.nevents = m->run.ndropped = 0;
	for (size_t i = 0; i < m->nprofiles && rc >= 0; i++) {
		struct hd_run one = { 0 };
		size_t before = m->run.nevents;

		hd_run_from_profile(&one, &m->parts[i], m->profiles[i], inlined);
		memcpy(m->events + before, one.events, one.nevents * sizeof(*one.events));
		m->run.nevents += one.nevents;
		rc = i ? check_once(m, i, before, err) : 0;
		if (stacks)
			keep_stacks(m, before, m->profiles[i], log);
		for (size_t k = 0; k < one.ndropped; k++)
			add_dropped(m, &one.dropped[k]);
		read += one.read;
		kept += one.kept;
	}
	m->run.events = m->events;
	m->run.dropped = m->dropped;
	m->run.read = read;
	m->run.kept = kept;
	return rc;
}

int hd_run_builder_add_events(struct hd_run_builder *m, const struct hd_run_event *events, size_t n, struct hd_err *err)
{
	size_t before = m->run.nevents;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < before; k++)
			if (!strcmp(events[i].name, m->events[k].name) && !strcmp(events[i].unit, m->events[k].unit))
				return hd_fail(err, HD_EFORMAT,
					"a recording and a report both have an event %s; add them as two runs",
					events[i].name);
	m->events = hd_realloc(m->events, before + n, sizeof(*m->events));
	m->folded = hd_realloc(m->folded, before + n, sizeof(*m->folded));
	for (size_t i = 0; i < n; i++) {
		m->events[before + i] = events[i];
		m->folded[before + i] = (struct hd_buf){ 0 };
	}
	m->run.events = m->events;
	m->run.nevents = before + n;
	return 0;
}

void hd_run_builder_add_profile(struct hd_run_builder *m, struct hd_profile *p)
{
	HD_GROW(m->profiles, m->nprofiles + 1, m->profiles_cap);
	m->profiles[m->nprofiles++] = p;
}

void hd_run_builder_release(struct hd_run_builder *m)
{
	for (size_t i = 0; m->folded && i < m->run.nevents; i++)
		hd_buf_release(&m->folded[i]);
	for (size_t i = 0; i < m->nprofiles; i++) {
		if (m->parts)
			hd_run_profile_arrays_release(&m->parts[i]);
		hd_profile_free(m->profiles[i]);
	}
	free(m->profiles);
	free(m->parts);
	free(m->folded);
	free(m->events);
	free(m->dropped);
	free(m->artifacts);
	free(m->sums);
	free(m->recordings.items);
	hd_run_csv_set_release(&m->csvs);
	hd_config_release(&m->config);
	hd_git_commit_release(&m->git);
	hd_machine_release(&m->machine);
	hd_log_release(&m->git_log);
	hd_buf_release(&m->command);
	hd_sample_folder_release(&m->samples);
	hd_buf_release(&m->selection);
	hd_buf_release(&m->variables);
	free(m->compiler);
}
