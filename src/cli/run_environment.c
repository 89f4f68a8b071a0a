/*
 * run_environment.c - see run_environment.h
 */
#include "cli/run_environment.h"

#include "base/encode.h"
#include "base/file.h"
#include "base/mem.h"
#include "history/environment.h"
#include "pipeline/recording_info.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static bool read_load(const char *text, double *load)
{
	char *end;

	*load = strtod(text, &end);
	return end != text && strchr(" \n", *end) && *load >= 0 && *load < 1e6;
}

int hd_run_environment_check(const struct hd_run_environment_opts *o, struct hd_err *err)
{
	double load;

	for (size_t i = 0; i < o->env.n; i++)
		if (!*o->env.items[i] || *o->env.items[i] == '=')
			return hd_fail(err, HD_EUSAGE, "add: --env takes NAME, a pattern or NAME=VALUE, not '%s'",
				o->env.items[i]);
	if (o->load_average && !read_load(o->load_average, &load))
		return hd_fail(err, HD_EUSAGE, "add: --load-average takes a number of 0 or more, not '%s'",
			o->load_average);
	return 0;
}

char *hd_run_ini_value(const char *target, enum hd_ini_key key, struct hd_log *log)
{
	struct hd_log quiet = { 0 };
	struct hd_err err = { 0 };
	struct hd_buf path = { 0 };
	struct hd_ini ini = { 0 };
	char *cwd = getcwd(NULL, 0), *named = NULL;

	if (cwd && hd_ini_locate_or_warn(&path, cwd, log) && hd_ini_read(&ini, path.data, &quiet, &err) >= 0) {
		const struct hd_ini_target *t = hd_ini_find(&ini, target);

		named = t && t->value[key] ? hd_strdup(t->value[key]) : NULL;
		hd_ini_release(&ini);
	}
	hd_buf_release(&path);
	hd_log_release(&quiet);
	free(cwd);
	return named;
}

static void take_variables(struct hd_run_builder *m, const struct hd_run_environment_opts *o, bool here)
{
	char *named = hd_run_ini_value(m->run.target, HD_INI_ENV, &m->git_log), *save = NULL;
	struct hd_string_list all = { 0 };

	for (size_t i = 0; i < o->env.n; i++) {
		HD_GROW(all.items, all.n + 1, all.cap);
		all.items[all.n++] = o->env.items[i];
	}
	for (char *one = named && here ? strtok_r(named, ", \t\n", &save) : NULL; one;
		one = strtok_r(NULL, ", \t\n", &save)) {
		HD_GROW(all.items, all.n + 1, all.cap);
		all.items[all.n++] = one;
	}
	if (here || o->env.n)
		hd_environment_write(&m->variables, environ, all.items, all.n, here);
	if (m->variables.len)
		m->run.variables = m->variables.data;
	free(all.items);
	free(named);
}

static void take_load(struct hd_run_builder *m, const char *said)
{
	struct hd_buf text = { 0 };
	struct hd_err err = { 0 };
	int fd = said ? -1 : hd_file_open("/proc/loadavg", &err);

	if (fd >= 0) {
		if (hd_file_slurp(fd, "/proc/loadavg", 4096, &text, &err) >= 0)
			said = hd_buf_str(&text);
		close(fd);
	}
	m->run.has_load = said && read_load(said, &m->run.load_average);
	hd_buf_release(&text);
}

void hd_run_environment_take(struct hd_run_builder *m, const struct hd_run_environment_opts *o)
{
	bool here = m->run.machine && !strcmp(m->run.machine->source, "here");
	char *compiler = m->recordings.n ? hd_recording_info_compiler(m->profiles[0]) : NULL;

	take_variables(m, o, here);
	if (here || o->load_average)
		take_load(m, o->load_average);
	m->compiler = hd_enc_visible_new(compiler);
	m->run.compiler = m->compiler;
	free(compiler);
}
