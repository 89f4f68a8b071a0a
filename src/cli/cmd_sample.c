/*
 * cmd_sample.c - hotdrift sample -- CMD: measure power, memory and GPU use while a command runs
 */
#include "base/file.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/signals.h"
#include "render/sample_report.h"
#include "base/argv.h"
#include "render/energy.h"
#include "track/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sample_opts {
	const char *power, *pid, *out;
	bool gpu, memory, json, quiet;
	unsigned every_ms;
};

static const struct sample_opts sample_defaults = { .out = ".", .every_ms = 50 };

static const struct hd_opt sample_opts[] = {
	{ HD_OPT_MAYBE, 0, "power", "SOURCE,...",
		"power and energy, into power.csv and power.json: rapl, nvml, hwmon, battery, constant:WATTS "
		"(default: rapl, nvml and graphics cards of hwmon, otherwise hwmon, otherwise battery)",
		offsetof(struct sample_opts, power) },
	{ HD_OPT_FLAG, 0, "gpu", NULL, "utilisation and memory of each GPU, into gpu.csv",
	  offsetof(struct sample_opts, gpu) },
	{ HD_OPT_FLAG, 0, "memory", NULL, "resident memory of CMD and its children, into memory.csv",
	  offsetof(struct sample_opts, memory) },
	{ HD_OPT_UINT, 0, "interval", "MS", "milliseconds between two readings (default 50)",
		offsetof(struct sample_opts, every_ms) },
	{ HD_OPT_STR, 0, "pid", "PID", "sample while this process runs, instead of CMD",
		offsetof(struct sample_opts, pid) },
	{ HD_OPT_FLAG, 0, "json", NULL, "print the summary as JSON, format hotdrift.sample",
		offsetof(struct sample_opts, json) },
	{ HD_OPT_FLAG, 'q', "quiet", NULL, "no summary; warnings and errors are still printed",
		offsetof(struct sample_opts, quiet) },
	{ HD_OPT_STR, 'o', "output", "DIR",
		"write the files into DIR, created if missing (default: the current folder)",
		offsetof(struct sample_opts, out) },
	{ 0 },
};

enum { MISSES = 64, FILES = 8 };

/* State of one `hotdrift sample`. */
struct sampling {
	const struct sample_opts *o;
	struct hd_sampler_config what;
	struct hd_string_list sources;	/* power sources that --power names; they point into `words` */
	char *words;			/* copy of the value of --power */
	struct hd_sampler *s;
	struct hd_sample_report_miss miss[MISSES];
	size_t nmiss;
	struct hd_child child;
	struct hd_series *series;	/* the content of power.csv, read back from the file */
	struct hd_energy_report energy;
	struct hd_buf command;
	bool made_dir;
};

/* ---- options ---- */

static int read_constant(struct sampling *g, const char *watts, struct hd_err *err)
{
	struct hd_number n;

	if (hd_number_read(watts, strlen(watts), &n) != HD_NUMBER || n.v < 0)
		return hd_fail(err, HD_EUSAGE,
			"sample: --power=constant:WATTS takes a number of 0 or more, not '%.100s'", watts);
	g->what.constant_watts = n.v;
	return 0;
}

/* Parse --power, such as "rapl,constant:12.5". */
static int read_sources(struct sampling *g, struct hd_err *err)
{
	static const char *const known[] = { "rapl", "nvml", "hwmon", "battery", "constant" };
	static const char constant[] = "constant:";
	char *save = NULL;
	int rc = 0;

	g->words = hd_strdup(g->o->power ? g->o->power : "");
	for (char *w = strtok_r(g->words, ",", &save); w && rc >= 0; w = strtok_r(NULL, ",", &save)) {
		bool found = false;

		if (!strncmp(w, constant, strlen(constant))) {
			rc = read_constant(g, w + strlen(constant), err);
			w[strlen(constant) - 1] = '\0';
		} else if (!strcmp(w, "constant")) {
			rc = hd_fail(err, HD_EUSAGE, "sample: --power=constant needs its watts: --power=constant:65");
		}
		for (size_t i = 0; i < HD_COUNT(known); i++)
			found |= !strcmp(w, known[i]);
		if (!found)
			rc = hd_fail(err, HD_EUSAGE,
				"sample: --power takes rapl, nvml, hwmon, battery and constant:WATTS, not '%.100s'", w);
		HD_GROW(g->sources.items, g->sources.n + 1, g->sources.cap);
		g->sources.items[g->sources.n++] = w;
	}
	return rc;
}

static int check(struct sampling *g, int argc, pid_t *pid, struct hd_err *err)
{
	const struct sample_opts *o = g->o;
	unsigned long long n = 0;

	if (!o->power && !o->gpu && !o->memory)
		return hd_fail(err, HD_EUSAGE, "sample: nothing to sample; give --power, --gpu or --memory");
	if (!argc == !o->pid)
		return hd_fail(err, HD_EUSAGE,
			o->pid ? "sample: --pid samples a process that runs; it takes no command"
			       : "sample: a command is missing; usage: hotdrift sample [options] -- CMD [ARGS]");
	if (o->pid && (hd_parse_uint(o->pid, INT32_MAX, &n) < 0 || !n))
		return hd_fail(err, HD_EUSAGE, "sample: --pid takes a process id, not '%s'", o->pid);
	if (!o->every_ms || o->every_ms > 60000)
		return hd_fail(err, HD_EUSAGE, "sample: --interval takes milliseconds from 1 to 60000");
	*pid = (pid_t)n;
	g->what = (struct hd_sampler_config){ .part = { o->power != NULL, o->gpu, o->memory }, .constant_watts = NAN,
					    .every_ns = o->every_ms * UINT64_C(1000000) };
	return read_sources(g, err);
}

/* ---- sources ---- */

static void add_miss(struct sampling *g, const char *what, enum hd_power_state state, const char *why)
{
	if (g->nmiss < MISSES)
		g->miss[g->nmiss++] = (struct hd_sample_report_miss){ what, state, why };
}

/* Return true if one of the usable sensors of the source is a graphics card. */
static bool has_card(struct hd_sampler *s, const struct hd_power_source *source)
{
	for (size_t i = source->first; i < source->first + source->n; i++) {
		const struct hd_power_domain *d = hd_power_domain(s->meter, i);

		if (d->state == HD_POWER_USABLE && !strncmp(d->name, "gpu-", 4))
			return true;
	}
	return false;
}

/*
 * Choose the power sources if the user names none.  RAPL, NVML and the graphics cards of hwmon measure different
 * devices, so all of these sources are used.  Other sensors may include the power of these devices: hwmon without a
 * graphics card is used only if neither RAPL nor NVML can be read, and the battery only if hwmon cannot be read either.
 */
static void choose_by_default(struct hd_sampler *s)
{
	static const char *const order[][2] = { { "rapl", "nvml" }, { "hwmon", "hwmon" }, { "battery", "battery" } };
	bool any = false;

	for (size_t k = 0; k < HD_COUNT(order) && !any; k++) {
		for (size_t i = 0; i < hd_power_sources(s->meter); i++) {
			const struct hd_power_source *source = hd_power_source(s->meter, i);

			s->source[i] = source->state == HD_POWER_USABLE &&
				       (!strcmp(source->name, order[k][0]) || !strcmp(source->name, order[k][1]));
			any |= s->source[i];
		}
	}
	for (size_t i = 0; i < hd_power_sources(s->meter); i++)
		if (!strcmp(hd_power_source(s->meter, i)->name, "hwmon") && has_card(s, hd_power_source(s->meter, i)))
			s->source[i] = true;
}

/* Record the unusable domains of a usable source, such as a GPU that does not report its power. */
static void note_domains(struct sampling *g, const struct hd_power_source *source)
{
	for (size_t i = source->first; i < source->first + source->n; i++) {
		const struct hd_power_domain *d = hd_power_domain(g->s->meter, i);

		if (d->state != HD_POWER_USABLE)
			add_miss(g, d->name, d->state, d->why);
	}
}

static void choose_sources(struct sampling *g)
{
	struct hd_sampler *s = g->s;
	bool any = false;

	if (!s->meter)
		return;
	if (!g->sources.n)
		choose_by_default(s);
	for (size_t i = 0; i < hd_power_sources(s->meter); i++) {
		const struct hd_power_source *source = hd_power_source(s->meter, i);
		bool named = hd_string_list_has(&g->sources, source->name);

		if (source->state != HD_POWER_USABLE) {
			if (named || (!g->sources.n && strcmp(source->name, "constant")))
				add_miss(g, source->name, source->state, source->why);
			continue;
		}
		s->source[i] |= named;
		any |= s->source[i];
		if (s->source[i])
			note_domains(g, source);
	}
	s->reads[HD_SAMPLE_POWER] = any;
}

/* ---- messages ---- */

static int nothing(const struct sampling *g, const char *const *argv, struct hd_err *err)
{
	struct hd_buf b = { 0 };
	int rc;

	for (size_t i = 0; i < g->nmiss; i++)
		hd_buf_addf(&b, "%s%s: %s", i ? "; " : "", g->miss[i].what, g->miss[i].why);
	rc = hd_fail(err, HD_EIO, "sample: none of the requested values can be read here, so %s%.100s%s (%s)",
		     argv[0] ? "'" : "the process ", argv[0] ? argv[0] : g->o->pid,
		     argv[0] ? "' was not run" : " was not sampled", hd_buf_str(&b));
	hd_buf_release(&b);
	return rc;
}

/*
 * Warn about power sources and GPUs that cannot be used.  A power source that this machine lacks or does not support is
 * mentioned only if the user named it, or if no power source can be read.
 */
static void warn_of_misses(const struct sampling *g, struct hd_log *log)
{
	for (size_t i = 0; i < g->nmiss; i++) {
		const struct hd_sample_report_miss *m = &g->miss[i];
		bool there = m->state == HD_POWER_DENIED || m->state == HD_POWER_BROKEN;
		bool is_gpu = !strcmp(m->what, "gpu");
		char code[HD_POWER_NAME + 16];

		if (!there && !is_gpu && !hd_string_list_has(&g->sources, m->what) && g->s->reads[HD_SAMPLE_POWER])
			continue;
		snprintf(code, sizeof(code), "sample.%s", m->what);
		hd_warn(log, code, "", "sample: no %s (%s): %s", m->what, hd_power_state_name(m->state), m->why);
	}
	if (g->what.part[HD_SAMPLE_POWER] && !g->s->reads[HD_SAMPLE_POWER])
		hd_warn(log, "sample.no-power", "--power=constant:WATTS assumes a power",
			"sample: no power source can be read, so there is no power.csv");
}

static void warn_of_readings(const struct sampling *g, struct hd_log *log)
{
	struct hd_power_meter *m = g->s->meter;
	size_t failed = 0, hidden = 0, resets = 0;

	for (size_t i = 0; m && i < hd_power_domains(m); i++) {
		const struct hd_power_domain *d = hd_power_domain(m, i);

		failed += d->failed;
		hidden += d->hidden_wraps;
		resets += d->resets;
	}
	if (failed)
		hd_warn_n(log, "lost.power-reading", failed, "",
			  "sample: readings of a power source failed; their time is interpolated");
	if (hidden)
		hd_warn_n(log, "lost.energy-wrap", hidden, "sample more often (--interval)",
			  "sample: times between two readings were so long that a counter may have wrapped twice");
	if (resets)
		hd_warn_n(log, "lost.energy-counter", resets, "",
			  "sample: a counter decreased; the energy of that step is not in the sum");
	for (int i = 0; i < HD_SAMPLE_KINDS; i++) {
		const char *part = hd_sampler_kind_name((enum hd_sampler_kind)i);

		if (g->s->reads[i] && !g->s->rows[i])
			hd_warn(log, "lost.sample-file", "",
				"sample: nothing of %s could be read while the command ran, so there is no %s.csv",
				part, part);
	}
	if (g->s->processes_missed)
		hd_warn_n(log, "lost.rss-process", g->s->processes_missed, "",
			  "sample: processes whose memory could not be read; it is not in the sum");
}

/* ---- the folder ---- */

static int write_text(const struct sampling *g, const char *name, const struct hd_buf *text, struct hd_err *err)
{
	struct hd_buf path = { 0 };
	int rc;

	hd_buf_addf(&path, "%s/%s", g->o->out, name);
	rc = hd_file_write(path.data, text, err);
	hd_buf_release(&path);
	return rc;
}

/* ---- results ---- */

/*
 * Complete the energy domains, which were read from power.csv, with facts about their sensors that power.csv does not
 * contain.
 */
static void complete(struct sampling *g)
{
	for (size_t i = 0; i < g->energy.n; i++) {
		struct hd_energy_domain *e = &g->energy.domains[i];

		for (size_t k = 0; k < hd_power_domains(g->s->meter); k++) {
			const struct hd_power_domain *d = hd_power_domain(g->s->meter, k);

			if (strcmp(d->source, e->source) || strcmp(d->name, e->domain))
				continue;
			e->wraps = isnan(d->range_joules) ? -1 : (int64_t)d->wraps;
			e->quantity = d->quantity;
		}
	}
}

/* Read power.csv like any other command, so that 'energy' and 'add' give the same figures. */
static int make_energy(struct sampling *g, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf path = { 0 }, text = { 0 };
	int rc;

	hd_buf_addf(&path, "%s/power.csv", g->o->out);
	rc = hd_series_read(&g->series, path.data, log, err);
	if (rc >= 0)
		rc = hd_energy_report_make(&g->energy, g->series, log, err);
	if (rc >= 0) {
		complete(g);
		hd_energy_json(&text, &g->energy);
		rc = write_text(g, "power.json", &text, err);
	}
	hd_buf_release(&text);
	hd_buf_release(&path);
	return rc;
}

/* Report a second error as a warning.  The first one is the result of the command. */
static void warn_of_other(int earlier, const char *code, const struct hd_err *other, struct hd_log *log)
{
	if (earlier < 0)
		hd_warn(log, code, NULL, "%s", other->msg);
}

/* Write all files that can be written.  Returns the first error. */
static int write_results(struct sampling *g, pid_t pid, struct hd_buf *summary, struct hd_log *log, struct hd_err *err)
{
	static const char *const names[] = { "power.csv", "gpu.csv", "memory.csv" };
	const char *files[FILES];
	struct hd_sample_report r = { .s = g->s, .c = &g->child, .dir = g->o->out, .pid = pid, .miss = g->miss,
				   .nmiss = g->nmiss, .files = files };
	struct hd_buf json = { 0 };
	struct hd_err other;
	int rc = hd_sampler_commit(g->s, log, err), one = 0;

	for (size_t i = 0; i < HD_COUNT(names); i++)
		if (g->s->written[i])
			files[r.nfiles++] = names[i];
	if (g->s->written[HD_SAMPLE_POWER]) {
		one = make_energy(g, log, rc < 0 ? &other : err);
		r.energy = one < 0 ? NULL : &g->energy;
		if (one >= 0)
			files[r.nfiles++] = "power.json";
		else
			warn_of_other(rc, "lost.power-json", &other, log);
		rc = rc < 0 ? rc : one;
	}
	files[r.nfiles++] = "sample.json";
	r.command = pid ? NULL : hd_buf_str(&g->command);
	hd_sample_report_json(&json, &r);
	one = write_text(g, "sample.json", &json, rc < 0 ? &other : err);
	if (one < 0) {
		warn_of_other(rc, "lost.sample-json", &other, log);
		r.nfiles--;
		hd_buf_release(&json);
		hd_sample_report_json(&json, &r);
	}
	rc = rc < 0 ? rc : one;
	if (g->o->json)
		hd_buf_add(summary, json.data, json.len);
	else
		hd_sample_report_text(summary, &r);
	hd_buf_release(&json);
	return rc;
}

/* Return HD_EIO (exit status 6) if CMD failed, whatever its own exit status, but not after a signal to hotdrift. */
static int conclude(const struct sampling *g, struct hd_err *err)
{
	const struct hd_child *c = &g->child;

	if (c->stopped_by || c->attached || c->exit_status == 0)
		return 0;
	if (c->signal > 0)
		return hd_fail(err, HD_EIO, "sample: '%.200s' was killed by signal %d (%s); the samples are in %s",
			       g->command.data, c->signal, strsignal(c->signal), g->o->out);
	return hd_fail(err, HD_EIO, "sample: '%.200s' exited with status %d; the samples are in %s",
		g->command.data, c->exit_status, g->o->out);
}

/* Print the summary to stderr, because stdout belongs to the command. */
static void print_summary(const struct hd_buf *summary, struct hd_log *log)
{
	hd_log_print(log, stderr);
	fflush(stderr);
	hd_file_write_all(STDERR_FILENO, hd_buf_str(summary), summary->len);
}

/* Run the command or watch the process.  The caller has blocked signals (hd_child_hold()). */
static int run(struct sampling *g, char *const *argv, pid_t pid, struct hd_log *log, struct hd_err *err)
{
	struct hd_buf summary = { 0 };
	int rc = hd_sampler_run(g->s, &g->child, pid ? NULL : argv, pid, hd_signals_ignored(), err);

	if (rc < 0)
		return rc;
	warn_of_readings(g, log);
	rc = write_results(g, pid, &summary, log, err);
	if (!g->o->quiet)
		print_summary(&summary, log);
	hd_buf_release(&summary);
	return rc < 0 ? rc : conclude(g, err);
}

static int sample(struct sampling *g, int argc, char **argv, struct hd_log *log, struct hd_err *err)
{
	pid_t pid = 0;
	int rc = check(g, argc, &pid, err);

	if (rc >= 0)
		rc = hd_sampler_open(&g->s, &g->what, err);
	if (rc < 0)
		return rc;
	choose_sources(g);
	if (g->what.part[HD_SAMPLE_GPU] && !g->s->reads[HD_SAMPLE_GPU])
		add_miss(g, "gpu", g->s->gpu_why.state, g->s->gpu_why.text);
	if (!g->s->reads[HD_SAMPLE_POWER] && !g->s->reads[HD_SAMPLE_GPU] && !g->s->reads[HD_SAMPLE_MEMORY])
		return nothing(g, (const char *const *)argv, err);
	warn_of_misses(g, log);
	rc = hd_outfolder_make(g->o->out, &g->made_dir, err);
	if (rc >= 0)
		rc = hd_sampler_files(g->s, g->o->out, err);
	if (rc >= 0)
		rc = hd_child_hold(&g->child, err);
	if (rc >= 0) {
		rc = run(g, argv, pid, log, err);
		hd_child_release(&g->child);
	}
	hd_sampler_free(g->s);
	g->s = NULL;
	if (g->made_dir)
		rmdir(g->o->out);	/* fails unless the folder is empty */
	return rc;
}

static int sample_run(int argc, char **argv, void *opts, struct hd_log *log, struct hd_err *err)
{
	struct sampling g = { .o = opts };
	struct hd_argv c = { .argv = argv, .argc = (size_t)argc };
	int rc;

	argv[argc] = NULL;
	hd_argv_quote(&g.command, &c);
	rc = sample(&g, argc, argv, log, err);
	hd_sampler_free(g.s);
	hd_energy_report_release(&g.energy);
	hd_series_free(g.series);
	hd_buf_release(&g.command);
	free(g.sources.items);
	free(g.words);
	return rc;
}

const struct hd_cmd hd_cmd_sample = {
	.name = "sample",
	.args = "-- CMD [ARGS]",
	.summary = "run a command and record its power, memory and GPU use",
	.details =
		"Runs CMD with our standard input and output and reads the selected sources every --interval "
		"milliseconds until CMD has ended.  Then the files are written to DIR, each completely or not at all:\n"
		"\n"
		"  power.csv    {sources}: a row for each reading of each domain\n"
		"  power.json   its energy, as in 'hotdrift energy --json power.csv', with counter wraps and sources\n"
		"  gpu.csv      {gpu}\n"
		"  memory.csv   {memory}: resident memory of CMD and its children, as in 'hotdrift rss'\n"
		"  sample.json  a summary; 'hotdrift add --samples DIR' stores the run\n"
		"\n"
		"Times are nanoseconds (memory: microseconds) since 1970.  The rows of power.csv begin at the start "
		"of CMD and end at its end.  The values there are interpolated from the readings around them, so the "
		"energy of the file is that of the machine while CMD ran.  Readings are due at fixed times; a late "
		"reading has its actual time.\n"
		"\n"
		"The counters of RAPL may be readable by root only; the message explains how to let a group read "
		"them.  If a source named by the user cannot be read, a warning has the reason.  If no source can be "
		"read, CMD is not run (exit 6).\n"
		"\n"
		"Ctrl-C goes to CMD.  SIGINT, SIGTERM, SIGHUP and SIGQUIT that another process sends to hotdrift are "
		"forwarded to CMD.  The samples so far are kept, and the run is marked interrupted (exit 0).  If CMD "
		"fails, the files are kept, its status is in sample.json, and the exit is 6.  The summary goes to "
		"standard error.  If the disk is full, the error is reported after CMD has ended.",
	.examples =
		"hotdrift sample --power=constant:65 --memory -o out -- ./app\tassume 65 W, and measure memory\n"
		"hotdrift energy out/power.csv\tits joules\n"
		"hotdrift sample --power --gpu -o out -- ./app\tRAPL and NVML\n"
		"hotdrift sample --memory --pid 4711 -o out\tuntil process 4711 ends\n"
		"",
	HD_CMD_OPTS(sample_opts, sample_defaults),
	.min_args = 0,
	.max_args = -1,
	.run = sample_run,
};
