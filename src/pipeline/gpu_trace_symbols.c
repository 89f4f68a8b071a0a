/*
 * gpu_trace_symbols.c - see gpu_trace_symbols.h
 */
#include "pipeline/gpu_trace_symbols.h"

#include "base/mem.h"
#include "gpu/cuda_trace.h"
#include "gpu/launch_stacks.h"
#include "pipeline/locator.h"
#include "profile/profile.h"
#include "elf/demangle.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { PID = 1 };			/* pid in the process table; any number will do, as a trace has one process */

/* The state while a trace is read. */
struct lookup {
	const struct hd_pipeline_opts *opts;
	/* temporary profile: holds frames and symbols until their names are copied to the capture's dictionary */
	struct hd_profile *p;
	struct hd_process_table *proc;
	struct hd_log proc_log;
	struct hd_symbols *symbols;
	struct hd_locator *locator;
	bool same_machine;
	char machine[65];
	struct hd_gpu_frame *frames;	/* frames of one stack, innermost first */
	size_t nframes, frames_cap;
};

/* ---- names ---- */

/*
 * Remove the template arguments: each < with its > and the text between.  A name that contains "operator" is not
 * changed, because < and > can be part of it.  Neither is a name in which they do not balance, as in f<(1)<<(3)>.
 */
static void strip_template_arguments(char *name)
{
	size_t to = 0, depth = 0;
	char *brief;

	if (strstr(name, "operator"))
		return;
	brief = hd_strdup(name);
	for (const char *s = name; *s; s++) {
		if (*s == '<')
			depth++;
		else if (*s == '>' && depth)
			depth--;
		else if (!depth)
			brief[to++] = *s;
	}
	if (to && !depth) {
		memcpy(name, brief, to);
		name[to] = 0;
	}
	free(brief);
}

void hd_gpu_kernel_name(struct hd_gpu_dict *dict, const char *linked, uint32_t *name, uint32_t *full)
{
	char *brief = hd_demangle(linked, false), *whole = brief ? hd_demangle(linked, true) : NULL;

	*name = *full = hd_strtab_add(dict->names, linked);
	if (brief) {
		strip_template_arguments(brief);
		*name = hd_strtab_add(dict->names, brief);
		*full = hd_strtab_add(dict->names, whole ? whole : linked);
	}
	free(brief);
	free(whole);
}

static void on_kernel(void *context, struct hd_gpu_dict *dict, const char *linked, uint32_t *name, uint32_t *full)
{
	hd_gpu_kernel_name(dict, linked, name, full);
}

/* ---- stacks ---- */

static void on_begin(void *context, const char *hostname, const char *release, const char *machine)
{
	struct lookup *l = context;
	struct utsname u;

	l->same_machine = uname(&u) == 0 && hostname[0] && !strncmp(hostname, u.nodename, 63) &&
			  !strncmp(release, u.release, 63);
	memcpy(l->machine, machine, strnlen(machine, sizeof(l->machine) - 1));
}

static void on_module(void *context, const struct hd_cuda_trace_module *m)
{
	struct lookup *l = context;

	for (size_t i = 0; i < m->nsegments; i++) {
		struct hd_process_mmap map = {
			.when = { 2 * (uint64_t)m->number, 2 * (uint64_t)m->number }, .pid = PID, .tid = PID,
			.addr = m->segments[i].start, .len = m->segments[i].len, .pgoff = m->segments[i].pgoff,
			.name = m->path, .name_len = m->path_len, .cpumode = HD_MODE_USER, .executable = true,
			.build_id = m->build_id, .build_id_len = (uint8_t)m->build_id_len,
		};

		hd_process_add_mmap(l->proc, &map);
	}
}

static void begin_symbols(struct lookup *l)
{
	struct hd_symbols_opts so = {
		.symfs = l->opts->symfs, .debuginfod = true, .no_call_files = !l->opts->lines,
		.same_machine = l->same_machine, .machine = l->machine,
	};

	hd_process_build(l->proc);
	if (!l->opts->no_symbols)
		l->symbols = hd_symbols_new(&so, &l->p->log);
	l->locator = hd_locator_new(l->p, l->proc, l->symbols, l->opts);
}

static void add_frame(struct lookup *l, struct hd_gpu_dict *dict, hd_frame_id id, uint64_t address)
{
	const struct hd_profile_symbol *s = &l->p->symbols[l->p->frames[id.v].symbol];
	const struct hd_object *o = &l->p->objects[s->object];
	struct hd_gpu_frame f = { .module = o->unknown ? 0
						       : hd_strtab_add(dict->names, hd_profile_str(l->p, o->name)) };

	if (s->unresolved)
		f.address = address;
	else
		f.name = hd_strtab_add(dict->names, hd_profile_str(l->p, s->name));
	HD_GROW(l->frames, l->nframes + 1, l->frames_cap);
	l->frames[l->nframes++] = f;
}

/*
 * Return true if the address is in a CUDA library or in the recorder's library.  The innermost frames of a stack that
 * are in these libraries are not shown.  The caller skips them before it looks up symbols, because the symbol tables of
 * some of these libraries are large.
 */
static bool is_in_machinery(const struct lookup *l, const struct hd_process_context *at, uint64_t address)
{
	struct hd_process_location where;

	hd_process_find(l->proc, at, address, HD_MODE_USER, &where);
	return where.object &&
	       hd_gpu_is_cuda_frame(NULL, hd_strtab_get(l->p->names, hd_process_object(l->proc, where.object)->name));
}

static uint32_t on_stack(void *context, struct hd_gpu_dict *dict, const uint64_t *address, size_t n, uint32_t modules)
{
	struct lookup *l = context;
	uint64_t time = 2 * (uint64_t)modules + 1;
	struct hd_process_context at;
	uint32_t node = 0;
	size_t first = 0;

	if (!l->locator)
		begin_symbols(l);
	hd_process_at(l->proc, PID, PID, (struct hd_record_time){ time, time }, &at);
	l->nframes = 0;
	while (n && is_in_machinery(l, &at, address[0])) {
		address++;
		n--;
	}
	for (size_t i = 0; i < n; i++) {
		const struct hd_location *loc = hd_locator_get(l->locator,
			hd_locator_find(l->locator, &at, HD_MODE_USER, address[i]));
		const hd_frame_id *inlined = hd_locator_inlined(l->locator, loc);

		for (uint32_t k = loc->ninlined; k-- > 0; )
			add_frame(l, dict, inlined[k], address[i]);
		add_frame(l, dict, loc->frame, address[i]);
	}
	while (first < l->nframes && hd_gpu_is_cuda_frame(hd_strtab_get(dict->names, l->frames[first].name),
							 hd_strtab_get(dict->names, l->frames[first].module)))
		first++;
	for (size_t i = l->nframes; i-- > first; )
		node = hd_gpu_dict_stack(dict, node, &l->frames[i]);
	return node;
}

int hd_gpu_trace_symbols_read(int fd, const char *path, const struct hd_pipeline_opts *opts,
	const struct hd_gpu_sink *sink, struct hd_err *err)
{
	struct lookup l = { .opts = opts, .p = hd_profile_new() };
	struct hd_cuda_trace_lookup lookup = {
		.context = &l, .begin = on_begin, .module = on_module, .stack = on_stack, .kernel = on_kernel,
	};
	int rc;

	l.proc = hd_process_table_new(l.p->names, &l.proc_log);
	rc = hd_cuda_trace_read(fd, path, sink, &lookup, err);
	hd_log_add(sink->log, &l.p->log);
	hd_locator_free(l.locator);
	hd_symbols_free(l.symbols);
	hd_process_table_free(l.proc);
	hd_log_release(&l.proc_log);
	hd_profile_free(l.p);
	free(l.frames);
	return rc;
}
