/*
 * cmd_add.c - hotdrift add FILE: one recording becomes one run in the database
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/utc.h"
#include "cli/dbarg.h"
#include "cli/input.h"
#include "output/folded.h"
#include "store/from_profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MACHINE_AUTO, MACHINE_HERE, MACHINE_UNKNOWN };

struct add_opts {
	struct hd_input in;
	struct hd_dbarg db;
	const char *target, *mode, *config, *command, *exit_status, *commit, *recorded, *session, *out;
	int status, machine;
	struct hd_words artifacts;
	bool no_stacks, once, json;
};

static const struct add_opts add_defaults = { .target = "default", .mode = "cpu", .status = -1 };

static const char *const status_words[] = { "ok", "failed", "fixture" };

static const struct hd_opt add_opts[] = {
	{ HD_OPT_STR, 0, "target", "NAME", "what was profiled (default 'default')", offsetof(struct add_opts, target) },
	{ HD_OPT_STR, 0, "mode", "WORD", "cpu, memory, gpu, async, syscall (default cpu)", offsetof(struct add_opts, mode) },
	{ HD_OPT_STR, 0, "config", "FILE", "the configuration of the run (JSON); it is kept with its fingerprint", offsetof(struct add_opts, config) },
	{ HD_OPT_ENUM, 0, "status", "ok|failed|fixture", "only an ok run can be a baseline (default ok, failed with a --exit-status that is not 0)", offsetof(struct add_opts, status) },
	{ HD_OPT_STR, 0, "exit-status", "N", "of the program that was recorded", offsetof(struct add_opts, exit_status) },
	{ HD_OPT_STR, 0, "command", "TEXT", "the command that was recorded (default: what the recording says)", offsetof(struct add_opts, command) },
	{ HD_OPT_STR, 0, "commit", "SHA", "the commit that was recorded, or none (default: that of the checkout around the current folder)", offsetof(struct add_opts, commit) },
	{ HD_OPT_STR, 0, "recorded", "TIME", "when, as 2026-11-20T14:01:02Z (default: when FILE, or the recording in a bundle, was last changed)", offsetof(struct add_opts, recorded) },
	{ HD_OPT_STR, 0, "session", "WORD", "the same for all runs of one job", offsetof(struct add_opts, session) },
	{ HD_OPT_ENUM, 0, "machine", "auto|here|unknown", "where it was recorded (default auto: here if the recording says so)", offsetof(struct add_opts, machine) },
	{ HD_OPT_LIST, 0, "artifact", "PATH", "a file that belongs to the run: its path and SHA-256 are kept; may be repeated", offsetof(struct add_opts, artifacts) },
	{ HD_OPT_FLAG, 0, "no-stacks", NULL, "do not keep the folded stacks", offsetof(struct add_opts, no_stacks) },
	{ HD_OPT_FLAG, 0, "once", NULL, "when this recording is in the database already, tell its run and add none", offsetof(struct add_opts, once) },
	{ HD_OPT_FLAG, 0, "json", NULL, "JSON, format hotdrift.add", offsetof(struct add_opts, json) },
	{ HD_OPT_STR, 'o', "output", "FILE", "write to FILE instead of standard output", offsetof(struct add_opts, out) },
	{ 0 },
};
static const struct hd_opt_group add_groups[] = {
	HD_DBARG_GROUP(struct add_opts, db),
	HD_INPUT_MORE_GROUPS(struct add_opts, in),
	{ NULL, NULL, 0 },
};

/* Everything that a run points to while it is added. */
struct material {
	struct hd_run run;
	struct hd_run_parts parts;
	struct hd_config config;
	struct hd_gitinfo git;
	struct hd_machine machine;
	struct hd_log git_log;
	struct hd_buf command;
	struct hd_run_artifact *artifacts;
	char (*sums)[HD_SHA256_HEX];	/* of the artifacts */
	struct hd_buf *folded;		/* per event */
};

static void material_release(struct material *m)
{
	for (size_t i = 0; m->folded && i < m->parts.nevents; i++)
		hd_buf_release(&m->folded[i]);
	free(m->folded);
	free(m->artifacts);
	free(m->sums);
	hd_run_parts_release(&m->parts);
	hd_config_release(&m->config);
	hd_gitinfo_release(&m->git);
	hd_machine_release(&m->machine);
	hd_log_release(&m->git_log);
	hd_buf_release(&m->command);
}

/* ---- options ---- */

static int read_status(struct hd_run *run, const struct add_opts *o, struct hd_err *err)
{
	unsigned long long n;

	run->exit_status = -1;
	if (o->exit_status) {
		if (hd_parse_uint(o->exit_status, 255, &n) < 0)
			return hd_fail(err, HD_EUSAGE, "add: --exit-status takes a number from 0 to 255, not '%s'", o->exit_status);
		run->exit_status = (int)n;
	}
	run->status = o->status >= 0 ? status_words[o->status] : run->exit_status > 0 ? "failed" : "ok";
	return 0;
}

static int read_words(struct hd_run *run, const struct add_opts *o, struct hd_err *err)
{
	size_t n = strspn(o->mode, "abcdefghijklmnopqrstuvwxyz0123456789-");

	if (!*o->target || !*o->mode)
		return hd_fail(err, HD_EUSAGE, "add: --target and --mode want a name, not an empty one");
	if (o->mode[n] || n > 32)
		return hd_fail(err, HD_EUSAGE, "add: --mode takes a word of lower-case letters, not '%s'", o->mode);
	run->target = o->target;
	run->mode = o->mode;
	run->session = o->session;
	return 0;
}

static int read_time(struct hd_run *run, const struct add_opts *o, const char *path, struct hd_err *err)
{
	struct stat st;

	if (o->recorded) {
		if (hd_utc_parse(o->recorded, &run->recorded) < 0)
			return hd_fail(err, HD_EUSAGE, "add: --recorded takes a time like 2026-11-20T14:01:02Z, not '%s'", o->recorded);
		return 0;
	}
	run->recorded = strcmp(path, "-") && stat(path, &st) == 0 && !S_ISFIFO(st.st_mode) ? (int64_t)st.st_mtime : hd_utc_now();
	return 0;
}

/* ---- what the run is made of ---- */

/* bytes and SHA-256 of a regular file; of anything else they stay unknown. */
static int sum_file(struct hd_run_artifact *a, char sum[HD_SHA256_HEX], struct hd_err *err)
{
	struct hd_sha256 *h;
	uint8_t bytes[HD_SHA256_BYTES];
	struct stat st;
	char *chunk;
	uint64_t off = 0;
	ssize_t n;
	int fd;

	if (stat(a->path, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	fd = hd_file_open(a->path, err);
	if (fd < 0)
		return fd;
	h = hd_sha256_new();
	chunk = hd_alloc(1 << 16);
	while ((n = hd_file_pread(fd, chunk, 1 << 16, off, a->path, err)) > 0) {
		hd_sha256_add(h, chunk, (size_t)n);
		off += (uint64_t)n;
	}
	hd_sha256_end(h, bytes);
	free(chunk);
	close(fd);
	if (n < 0)
		return (int)n;
	for (int i = 0; i < HD_SHA256_BYTES; i++)
		snprintf(sum + 2 * i, 3, "%02x", bytes[i]);
	a->sha256 = sum;
	a->bytes = (int64_t)off;
	return 0;
}

/* The recording first, then what the user named. */
static int take_artifacts(struct material *m, const char *path, const struct hd_words *named, struct hd_err *err)
{
	size_t n = 0;
	int rc = 0;

	m->artifacts = hd_new_array(struct hd_run_artifact, named->n + 1);
	m->sums = hd_zalloc(named->n + 1, sizeof(*m->sums));
	m->artifacts[n++] = (struct hd_run_artifact){ "recording", path, -1, NULL };
	for (size_t i = 0; i < named->n; i++)
		if (strcmp(named->items[i], path))
			m->artifacts[n++] = (struct hd_run_artifact){ "file", named->items[i], -1, NULL };
	for (size_t i = 0; i < n && rc >= 0; i++)
		if (strcmp(m->artifacts[i].path, "-"))
			rc = sum_file(&m->artifacts[i], m->sums[i], err);
	m->run.artifacts = m->artifacts;
	m->run.nartifacts = n;
	return rc;
}

static int take_config(struct material *m, const char *path, struct hd_err *err)
{
	int rc = path ? hd_config_read(&m->config, path, err) : 0;

	if (rc >= 0 && path)
		m->run.config = &m->config;
	return rc;
}

static void take_machine(struct material *m, const struct hd_recording *r, int which)
{
	bool says = r->hostname || r->arch || r->cpudesc;

	if (which == MACHINE_HERE)
		hd_machine_here(&m->machine, "");
	else if (which == MACHINE_AUTO && says)
		hd_machine_of(&m->machine, r->hostname, r->os_release, r->arch, r->cpudesc, r->nrcpus,
			      r->total_mem_kib <= INT64_MAX / 1024 ? r->total_mem_kib * 1024 : 0, "");
	else
		return;
	m->run.machine = &m->machine;
}

static void take_command(struct material *m, const struct hd_recording *r, const char *said)
{
	for (size_t i = 0; i < r->ncmdline; i++)
		hd_buf_addf(&m->command, "%s%s", i ? " " : "", r->cmdline[i]);
	m->run.command = said ? said : m->command.len ? m->command.data : NULL;
}

/* The folded text of one event, in no more memory than it takes: a recording may have ten thousand events. */
static void fold(struct hd_buf *text, const struct hd_profile *p, uint32_t event)
{
	static const struct hd_folded_opts plain = { 0 };
	struct hd_outfile out;

	hd_outfile_memory(&out);
	hd_folded_write(&out, p, event, &plain);
	hd_buf_add(text, hd_buf_str(&out.pending), out.pending.len);
	hd_outfile_discard(&out);
}

static void take_profile(struct material *m, const struct hd_profile *p, bool inlined, bool stacks)
{
	hd_run_from_profile(&m->run, &m->parts, p, inlined);
	m->folded = hd_new_array(struct hd_buf, m->parts.nevents);
	for (size_t i = 0; i < m->parts.nevents && stacks; i++) {
		if (!m->parts.events[i].samples)
			continue;
		fold(&m->folded[i], p, (uint32_t)i);
		m->parts.events[i].folded = hd_buf_str(&m->folded[i]);
		m->parts.events[i].folded_len = m->folded[i].len;
	}
}

/* ---- the answer ---- */

/* That samples were taken in. */
static uint64_t sampled(const struct hd_run_event *e)
{
	uint64_t n = 0;

	for (size_t i = 0; i < e->nhotspots; i++)
		n += e->hotspots[i].samples > 0;
	return n;
}

static void tell(struct hd_buf *out, const struct hd_run_ticket *t, const char *db, bool added)
{
	hd_buf_addf(out, "run       %s%s\ndatabase  ", t->id, added ? "" : " (there already)");
	hd_enc_term(out, db, strlen(db));
	hd_buf_addc(out, '\n');
}

static void tell_json(struct hd_buf *out, const struct hd_run_ticket *t, const char *db, bool added, const struct hd_run *run,
		      const char *same)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.add");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_str(&w, "run", t->id);
	hd_jsonw_bool(&w, "added", added);
	hd_jsonw_str(&w, "hash", added ? t->hash : NULL);
	hd_jsonw_str(&w, "db", db);
	hd_jsonw_str(&w, "target", run->target);
	hd_jsonw_str(&w, "mode", run->mode);
	hd_jsonw_str(&w, "status", run->status);
	hd_jsonw_str(&w, "commit", run->git ? run->git->sha : NULL);
	hd_jsonw_str(&w, "config", run->config ? run->config->sha256 : NULL);
	hd_jsonw_str(&w, "machine", run->machine ? run->machine->fingerprint : NULL);
	hd_jsonw_str(&w, "same_recording_as", *same ? same : NULL);
	hd_jsonw_open(&w, "events", '[');
	for (size_t i = 0; i < run->nevents; i++) {
		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "event", run->events[i].name);
		hd_jsonw_str(&w, "unit", run->events[i].unit);
		hd_jsonw_u64(&w, "samples", run->events[i].samples);
		hd_jsonw_u64(&w, "weight", run->events[i].weight);
		hd_jsonw_u64(&w, "symbols", sampled(&run->events[i]));
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_close(&w, '}');
}

/* Into the database, unless it is there and once is enough. */
static int store(const struct add_opts *o, const struct hd_run *run, struct hd_log *log, struct hd_err *err)
{
	struct hd_run_ticket ticket = { 0 };
	struct hd_outfile file;
	struct hd_buf out = { 0 };
	struct hd_err bad;
	char same[HD_RUN_ID] = "";
	struct hd_db *db;
	bool added = true;
	int rc;

	rc = hd_dbarg_open(&db, &o->db, HD_DB_WRITE, 0, err);
	if (rc < 0)
		return rc;
	/* Before the run is written: a place for the answer that is not there must not leave a run behind. */
	rc = hd_outfile_open(&file, o->out, err);
	if (rc < 0) {
		hd_db_close(db);
		return rc;
	}
	if (run->artifacts[0].sha256)
		rc = hd_run_find_recording(db, run->artifacts[0].sha256, same, err);
	if (rc >= 0 && *same && o->once) {
		added = false;
		snprintf(ticket.id, sizeof(ticket.id), "%s", same);
	} else if (rc >= 0) {
		rc = hd_run_add(db, run, &ticket, err);
		if (rc >= 0 && *same)
			hd_warn(log, "store.same-recording", "--once adds a recording only once", "this recording is run %s already", same);
	}
	if (rc >= 0) {
		if (o->json)
			tell_json(&out, &ticket, hd_db_name(db), added, run, same);
		else
			tell(&out, &ticket, hd_db_name(db), added);
		hd_outfile_add(&file, out.data, out.len);
		rc = hd_outfile_commit(&file, &bad);
		if (rc < 0)
			hd_fail(err, rc, "%s; run %s is in the database all the same", bad.msg, ticket.id);
	} else {
		hd_outfile_discard(&file);
	}
	hd_buf_release(&out);
	hd_db_close(db);
	return rc;
}

static int add_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct add_opts *o = opts;
	struct material m = { .git.dirty = -1 };
	struct hd_profile *p = NULL;
	int rc;

	(void)argc;
	o->in.ingest.keys = HD_KEY_COMM;	/* and always with inlines: both costs are stored */
	rc = hd_input_check(&o->in, "add", err);
	if (rc >= 0)
		rc = read_status(&m.run, o, err);
	if (rc >= 0)
		rc = read_words(&m.run, o, err);
	if (rc >= 0)
		rc = read_time(&m.run, o, argv[0], err);
	if (rc >= 0)
		rc = take_config(&m, o->config, err);
	if (rc >= 0 && !(o->commit && !strcmp(o->commit, "none")))
		rc = hd_gitinfo_read(&m.git, ".", o->commit, &m.git_log, err);
	if (rc >= 0)
		rc = hd_input_read_samples(&p, argv[0], &o->in, log, err);
	if (rc >= 0 && !o->recorded && p->recording.written_s)
		m.run.recorded = p->recording.written_s;
	if (rc >= 0)
		rc = take_artifacts(&m, argv[0], &o->artifacts, err);
	if (rc >= 0) {
		struct hd_log of_reader = *log;		/* what is warned of from here on is not the recording's */

		take_profile(&m, p, hd_input_inlined(&o->in, false), !o->no_stacks);
		take_machine(&m, &p->recording, o->machine);
		if (m.machine.unread)
			hd_warn(log, "machine.unread", "add it again, else it compares with no other run",
				"%s: cannot be read, so the machine of this run is not known whole", m.machine.unread);
		take_command(&m, &p->recording, o->command);
		m.run.git = &m.git;
		m.run.warnings = &of_reader;
		rc = store(o, &m.run, &m.git_log, err);
	}
	for (size_t i = 0; i < m.git_log.n; i++)
		hd_warn_n(log, m.git_log.items[i].code, m.git_log.items[i].count, m.git_log.items[i].fix, "%s", m.git_log.items[i].text);
	hd_profile_free(p);
	material_release(&m);
	return rc;
}

const struct hd_cmd hd_cmd_add = {
	.name = "add", .args = "FILE", .summary = "record a run in the database",
	.details =
	"FILE is any input.  The run is written in one transaction: the self and total cost of every symbol of every\n"
	"event, the folded stacks, the commit, the machine, the configuration, what was lost.  Nothing is written when\n"
	"anything fails.  The database is made when it is not there (SQLite, WAL mode), with its default folder.\n"
	"\n"
	"Self and total are by the symbol table, as perf has them; beside them inline_self and inline_total count\n"
	"inlined functions for themselves.  With --inline self and total do so too; runs that differ in this are\n"
	"not compared.  The stacks have inlined functions as frames.\n"
	"\n"
	"Its id is the time it was recorded, the commit and the start of its hash.  The hash covers the run before it,\n"
	"so that the past cannot be changed unnoticed.  A recording added twice is two runs, with a warning; --once.\n"
	"\n"
	"Another writer is waited for (--busy-ms); then it is exit 6 and nothing is written.  A cost above 2^63 - 1 is\n"
	"refused (exit 5).",
	.examples =
	"hotdrift add perf.data --target serve\ta run of target serve at this commit\n"
	"hotdrift add perf.data --target serve --config config.json --json\twith its configuration\n"
	"hotdrift add old.data --commit 4f1c2e9 --machine unknown\tof long ago\n",
	HD_CMD_OPTS(add_opts, add_defaults), .groups = add_groups, .min_args = 1, .max_args = 1, .run = add_run,
};
