/*
 * cmd_witness.c - hotdrift witness export|verify: a file with runs that another machine can check
 */
#include "base/encode.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "cli/db_option.h"
#include "cli/reanalysis.h"
#include "history/run_lookup.h"
#include "render/fields.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_WITNESS = 1 << 30 };		/* maximum size of a witness file in bytes */

struct witness_opts {
	struct hd_input in;
	struct hd_db_option db;
	const char *recording, *head, *out;
	bool json;
};

static const struct witness_opts witness_defaults = { 0 };

static const struct hd_opt witness_opts[] = {
	{ HD_OPT_OUT, 'o', "output", "PATH",
		"export: a file, or a folder for one file per run; verify: a file for the result (default "
			"standard output)",
		offsetof(struct witness_opts, out) },
	{ HD_OPT_STR, 0, "head", "HASH",
		"verify: a run's hash stored elsewhere, which must be in the file (at least 8 digits)",
		offsetof(struct witness_opts, head) },
	{ HD_OPT_STR, 0, "recording", "FILE", "verify: analyse the recording of the run again and compare the top list",
		offsetof(struct witness_opts, recording) },
	{ HD_OPT_FLAG, 0, "json", NULL, "verify: print JSON, format hotdrift.witness-check",
		offsetof(struct witness_opts, json) },
	{ 0 },
};
static const struct hd_opt_group witness_groups[] = {
	HD_DB_OPTION_GROUP(struct witness_opts, db),
	{ "selection", hd_select_opts, offsetof(struct witness_opts, in) + offsetof(struct hd_input, ingest.select) },
	HD_INPUT_MORE_GROUPS(struct witness_opts, in),
	{ NULL, NULL, 0 },
};

/* ---- export ---- */

static int export_to(const char *path, struct hd_db *db, const int64_t *runs, size_t n, unsigned which,
	struct hd_err *err)
{
	struct hd_outfile out;
	int rc = hd_outfile_open(&out, path, err);

	if (rc < 0)
		return rc;
	rc = hd_witness_write(&out, db, runs, n, which, err);
	if (rc < 0)
		hd_outfile_discard(&out);
	else
		rc = hd_outfile_commit(&out, err);
	return rc;
}

/* Append the id of a run as a file name.  The id is validated, because the database may contain any text there. */
static int name_of(struct hd_db *db, int64_t run, struct hd_buf *path, struct hd_err *err)
{
	char *id;
	int rc = hd_run_lookup_id(db, run, &id, err);

	if (rc >= 0 && (!id || !*id || id[strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzTZ-")] || strlen(id) > 100))
		rc = hd_fail(err, HD_EFORMAT, "%s: invalid id of a run: '%.40s'", hd_db_name(db), id ? id : "");
	if (rc >= 0)
		hd_buf_addf(path, "/%s.jsonl", id);
	free(id);
	return rc;
}

static int export_folder(const char *folder, struct hd_db *db, const int64_t *runs, size_t n, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	int rc;

	hd_buf_addf(&path, "%s/chain.jsonl", folder);
	rc = export_to(path.data, db, runs, n, HD_WITNESS_CHAIN, err);
	for (size_t i = 0; i < n && rc >= 0; i++) {
		hd_buf_reset(&path);
		hd_buf_adds(&path, folder);
		rc = name_of(db, runs[i], &path, err);
		if (rc >= 0)
			rc = export_to(path.data, db, &runs[i], 1, HD_WITNESS_RUNS, err);
	}
	hd_buf_release(&path);
	return rc;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return path && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int export(const struct witness_opts *o, int argc, char **argv, struct hd_err *err)
{
	int64_t *runs = hd_new_array(int64_t, argc + 1);
	size_t n = 0;
	struct hd_db *db;
	int rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);

	if (rc >= 0) {
		for (int i = 0; i < argc && rc >= 0; i++)
			rc = hd_run_lookup(db, argv[i], &runs[n++], err);
		if (rc >= 0 && !argc)
			rc = hd_run_lookup(db, "latest", &runs[n++], err);
		if (rc >= 0 && is_folder(o->out))
			rc = export_folder(o->out, db, runs, n, err);
		else if (rc >= 0)
			rc = export_to(o->out, db, runs, n, HD_WITNESS_CHAIN | HD_WITNESS_RUNS, err);
		hd_db_close(db);
	}
	free(runs);
	return rc;
}

/* ---- verify ---- */

struct checked {
	struct hd_witness w;
	uint64_t symbols;		/* number of symbols that were compared with a new analysis of the recording */
	bool in_db, has_head, rerun;
};

static int read_whole(const char *path, struct hd_buf *text, struct hd_err *err)
{
	int fd = hd_file_open(path, err), rc;

	if (fd < 0)
		return fd;
	rc = hd_file_slurp(fd, path, MAX_WITNESS, text, err);
	close(fd);
	return rc;
}

static bool has_head(const struct hd_witness *w, const char *head)
{
	bool has = false;

	for (size_t i = 0; i < w->nplaces && !has; i++)
		has = !strncmp(w->places[i].hash, head, strlen(head));
	for (size_t i = 0; i < w->nruns && !has; i++)
		has = !strncmp(w->runs[i].hash, head, strlen(head));
	return has;
}

static int compare_db(const struct witness_opts *o, const struct hd_witness *w, const char *path, struct hd_err *err)
{
	struct hd_db *db;
	int rc = hd_db_option_open(&db, &o->db, HD_DB_READ, 0, err);

	if (rc < 0)
		return rc;
	rc = hd_witness_compare(w, db, path, err);
	hd_db_close(db);
	return rc;
}

static int check(struct witness_opts *o, struct checked *c, const char *path, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	int rc = read_whole(path, &text, err);

	if (rc >= 0)
		rc = hd_witness_check(&c->w, hd_buf_str(&text), text.len, path, err);
	hd_buf_release(&text);
	if (rc >= 0 && o->head) {
		c->has_head = has_head(&c->w, o->head);
		if (!c->has_head)
			rc = hd_fail(err, HD_ENO, "%s: no run in it has the hash %s", path, o->head);
	}
	if (rc >= 0 && o->db.db) {
		rc = compare_db(o, &c->w, path, err);
		c->in_db = rc >= 0;
	}
	if (rc >= 0 && o->recording && c->w.nruns != 1)
		rc = hd_fail(err, HD_EUSAGE, "witness: --recording requires a file with one run, %s has %zu", path,
			c->w.nruns);
	if (rc >= 0 && o->recording) {
		rc = hd_reanalyze(&c->w.runs[0], o->recording, &o->in, &c->symbols, log, err);
		c->rerun = rc >= 0;
	}
	return rc;
}

static void print_run(struct hd_buf *out, const struct hd_witness_run *r)
{
	hd_buf_adds(out, "run ");
	hd_enc_term(out, r->run_id, strlen(r->run_id));
	hd_buf_addf(out, " (%lld of its chain): %llu rows\n", (long long)r->seq, (unsigned long long)r->sums.rows);
	for (size_t i = 0; i < r->sums.nevents; i++) {
		const struct hd_witness_event *e = &r->sums.events[i];

		hd_buf_adds(out, "  ");
		/* names in a witness file are already escaped (base/encode.h), so this name is not escaped again */
		hd_buf_adds(out, e->name ? e->name : "");
		hd_buf_addf(out, ": %lld in %lld samples; %llu in %llu hotspots, %llu in %llu stacks\n",
			(long long)e->weight, (long long)e->samples, (unsigned long long)e->self,
			(unsigned long long)e->hotspots, (unsigned long long)e->line_weight,
			(unsigned long long)e->lines);
	}
}

static void print_text(struct hd_buf *out, const struct witness_opts *o, const struct checked *c, const char *path)
{
	hd_enc_term(out, path, strlen(path));
	hd_buf_addf(out, ": %zu lines, %zu places of chains, %zu run%s: all hashes and sums are valid\n", c->w.lines,
		c->w.nplaces, c->w.nruns, c->w.nruns == 1 ? "" : "s");
	for (size_t i = 0; i < c->w.nruns; i++)
		print_run(out, &c->w.runs[i]);
	if (c->rerun)
		hd_buf_addf(out, "confirmed: the recording gives the same events and the same %llu costliest symbols\n",
			(unsigned long long)c->symbols);
	if (c->in_db)
		hd_buf_adds(out, "anchored: the database has the same runs at the same places\n");
	if (c->has_head)
		hd_buf_addf(out, "anchored: a run in it has the hash %s\n", o->head);
	if (!c->in_db && !c->has_head)
		hd_buf_adds(out, "internally consistent, not anchored\n");
}

static const struct hd_fields run_fields = HD_FIELDS(
	HD_FIELD("run", NULL, NAME, struct hd_witness_run, run_id),
	HD_FIELD("hash", NULL, NAME, struct hd_witness_run, hash),
	HD_FIELD("seq", NULL, INT, struct hd_witness_run, seq),
	HD_FIELD("commit", NULL, NAME, struct hd_witness_run, commit),
	HD_FIELD("config", NULL, NAME, struct hd_witness_run, config),
	HD_FIELD("recording", NULL, NAME, struct hd_witness_run, recording),
	HD_FIELD("rows", NULL, WEIGHT, struct hd_witness_run, sums.rows));

static void print_json(struct hd_jsonw *w, const struct checked *c, const char *path)
{
	hd_jsonw_open(w, NULL, '{');
	hd_jsonw_str(w, "file", path);
	hd_jsonw_str(w, "sum", c->w.sum);
	hd_jsonw_u64(w, "lines", c->w.lines);
	hd_jsonw_u64(w, "places", c->w.nplaces);
	hd_jsonw_bool(w, "anchored", c->in_db || c->has_head);
	hd_jsonw_bool(w, "recording_confirmed", c->rerun);
	hd_jsonw_u64(w, "symbols_compared", c->symbols);
	hd_fields_array(w, "runs", &run_fields, c->w.runs, c->w.nruns, sizeof(*c->w.runs));
	hd_jsonw_close(w, '}');
}

static int verify(struct witness_opts *o, int argc, char **argv, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf text = { 0 };
	struct hd_jsonw w = { 0 };
	int rc = 0;

	if (o->json) {
		w = hd_jsonw_document(&text, "hotdrift.witness-check", 1);
		hd_jsonw_open(&w, "files", '[');
	}
	for (int i = 0; i < argc && rc >= 0; i++) {
		struct checked c = { 0 };

		rc = check(o, &c, argv[i], log, err);
		if (rc >= 0 && o->json)
			print_json(&w, &c, argv[i]);
		else if (rc >= 0)
			print_text(&text, o, &c, argv[i]);
		hd_witness_release(&c.w);
	}
	if (o->json) {
		hd_jsonw_close(&w, ']');
		hd_jsonw_close(&w, '}');
	}
	if (rc >= 0)
		rc = hd_output_write(o->out, &text, err);
	hd_buf_release(&text);
	return rc;
}

static int witness_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct witness_opts *o = opts;
	size_t n = o->head ? strlen(o->head) : 8;
	int rc = hd_input_check(&o->in, "witness", err);

	if (rc < 0)
		return rc;
	if (n < 8 || n > 64 || (o->head && o->head[strspn(o->head, "0123456789abcdef")]))
		return hd_fail(err, HD_EUSAGE,
			"witness: --head takes 8 to 64 hexadecimal digits of a run's hash, not '%s'", o->head);
	if (!strcmp(argv[0], "export")) {
		if (o->head || o->recording || o->json)
			return hd_fail(err, HD_EUSAGE, "witness: --head, --recording and --json require verify");
		return export(o, argc - 1, argv + 1, err);
	}
	if (strcmp(argv[0], "verify"))
		return hd_fail(err, HD_EUSAGE, "witness: expected export or verify, not '%s'", argv[0]);
	if (argc < 2)
		return hd_fail(err, HD_EUSAGE, "witness verify: no file given");
	return verify(o, argc - 1, argv + 1, log, err);
}

const struct hd_cmd hd_cmd_witness = {
	.name = "witness",
	.args = "export [RUN...] | verify FILE...",
	.summary = "write runs and their chain to a file that another machine can check",
	.details =
		"export writes the chains of the runs (default: latest), one line per run and tombstone, and for "
		"each of these runs everything that its hash covers: commit, configuration, sums of its inputs, "
		"every hotspot, every summary of a series, the stacks and CSV files with their sums, and finally "
		"sums over all of that.  The format is JSON, one object per line (docs/witness.md).  If -o is a "
		"folder, the chains are chain.jsonl, and each run is one file.\n"
		"\n"
		"verify recomputes every hash and every sum from the file alone, and reports the first line that was "
		"changed, removed, inserted or moved, or a wrong sum (exit 1).  A file that is not a witness, or of "
		"a newer version, is exit 5.  The author of a file could have computed all of it.  So --db PATH "
		"compares it with a database, and --head with a hash stored elsewhere; without either, the output "
		"says that the file is not anchored.\n"
		"\n"
		"With --recording the recording of the run is analysed again, with the given options (--symfs, "
		"selection).  Its sum, its events with their weights, and the ten costliest symbols of each must "
		"equal those of the run.",
	.examples =
		"hotdrift witness export latest:serve -o run.jsonl\tfor an archive or a reviewer\n"
		"hotdrift witness verify run.jsonl --recording perf.data\ton another machine\n"
		"hotdrift witness verify run.jsonl --db postgresql://ci@db.example/hotdrift\tcompare with the shared "
		"history\n"
		"",
	HD_CMD_OPTS(witness_opts, witness_defaults),
	.groups = witness_groups,
	.min_args = 1,
	.max_args = -1,
	.run = witness_run,
};
