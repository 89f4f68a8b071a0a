/*
 * named_samples.c - see named_samples.h
 */
#include "pipeline/named_samples.h"

#include "base/encode.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Limits for the profile.  Its memory: LIMIT_LEAST bytes plus LIMIT_PER_BYTE for each byte of the input, as in
 * budget.c.  The number of frames that are pushed: FRAMES_LEAST plus FRAMES_PER_BYTE for each byte of the input.  The
 * second limit is necessary because a small file can refer to one deep stack many times.
 */
#define LIMIT_LEAST	(UINT64_C(96) << 20)
#define FRAMES_LEAST	(INT64_C(1) << 24)
enum { LIMIT_PER_BYTE = 32, FRAMES_PER_BYTE = 32, CHECK_EVERY = 1024 };

/* Return the name of an option that needs data which the format does not have, or NULL. */
static const char *unavailable(const struct hd_named_samples *ns, unsigned parts)
{
	const struct hd_selection *o = &ns->opts->select;
	bool lacks_ids = !(parts & HD_NAMED_IDS);

	return o->pid.n && lacks_ids                           ? "pid"
		: o->tid.n && lacks_ids                        ? "tid"
		: o->cpu.n && !(parts & HD_NAMED_CPU)          ? "cpu"
		: ns->select.by_time && !(parts & HD_NAMED_TIME) ? "time"
							       : NULL;
}

static int check_options(const struct hd_named_samples *ns, const struct hd_named_format *format, struct hd_err *err)
{
	const struct hd_pipeline_opts *o = ns->opts;
	const char *option = o->fields.n ? o->launches ? "--gpu-trace" : "--by"
		: o->select.filter       ? "--filter"
		: o->select.weight_field ? "--weight-field"
					 : NULL;

	if (option)
		return hd_fail(err, HD_EFORMAT,
			"%s: %s have no sample fields, so %s '%.100s' cannot be used", ns->path, format->name, option,
			o->fields.n              ? o->fields.items[0]
				: o->select.filter ? o->select.filter
						   : o->select.weight_field);
	if (o->select.weight > HD_WEIGHT_SAMPLES)
		return hd_fail(err, HD_EFORMAT,
			"%s: %s do not contain scheduler events, so --weight must be period or samples", ns->path,
			format->name);
	if (o->select.weight == HD_WEIGHT_SAMPLES && !(format->parts & (HD_NAMED_COUNT | HD_NAMED_WEIGHT_IS_COUNT)))
		return hd_fail(err, HD_EFORMAT,
			"%s: %s do not contain the number of samples, so --weight samples cannot be used", ns->path,
			format->name);
	option = unavailable(ns, format->parts);
	if (option)
		return hd_fail(err, HD_EFORMAT, "%s: %s do not contain the %s of samples, so --%s cannot be used",
			ns->path, format->name, option, option);
	return 0;
}

int hd_named_samples_begin(struct hd_named_samples *ns, struct hd_profile *p, const struct hd_pipeline_opts *opts,
	int fd, const char *path, const struct hd_named_format *format, struct hd_err *err)
{
	struct stat st;
	int rc;

	*ns = (struct hd_named_samples){ .p = p, .opts = opts, .path = path, .parts = format->parts };
	rc = hd_selector_init(&ns->select, &opts->select, err);
	if (rc < 0) {
		ns->select = (struct hd_selector){ 0 };		/* nothing to release */
		return rc;
	}
	rc = check_options(ns, format, err);
	if (rc < 0)
		return rc;
	hd_skip_rules_init(&ns->skip, p, opts->select.skip, false);
	ns->input_bytes = fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
	ns->limit = opts->budget_bytes ? opts->budget_bytes : LIMIT_LEAST + LIMIT_PER_BYTE * ns->input_bytes;
	ns->frames_left = FRAMES_LEAST + FRAMES_PER_BYTE * (int64_t)ns->input_bytes;
	p->recording.bytes = ns->input_bytes;
	p->recording.mode = "file";
	if (format->parts & HD_NAMED_TIME ? opts->timed : opts->ordered)
		p->timed = hd_timed_samples_new();
	ns->most_timed = opts->timed_most ? opts->timed_most : HD_TIMED_SAMPLES_MOST;
	return 0;
}

static int end_timed(struct hd_named_samples *ns, struct hd_err *err)
{
	if (!ns->p->timed)
		return 0;
	if (ns->too_many_timed)
		return hd_fail(err, HD_EFORMAT,
			"%s: has more than %u samples; select a part: %s", ns->path, ns->most_timed,
			ns->parts & HD_NAMED_TIME ? "--time A,B, --event or --tid" : "--comm, --event or --symbol");
	hd_timed_samples_sort(ns->p->timed);
	return 0;
}

/* Warn if --no-kernel omits nothing because the frames do not say whether they are kernel code. */
static void warn_unmarked(struct hd_named_samples *ns)
{
	if (ns->opts->select.no_kernel && !ns->any_kernel && !(ns->parts & HD_NAMED_DSO) && ns->p->read)
		hd_warn(&ns->p->log, "select.no-kernel", "use --no-kernel where the stacks are read from the recording",
			"%s: no frame is marked as kernel code, so --no-kernel omits nothing", ns->path);
}

int hd_named_samples_end(struct hd_named_samples *ns, int rc, struct hd_err *err)
{
	uint64_t dropped = hd_profile_dropped(ns->p, "lost.budget");

	if (rc >= 0)
		rc = end_timed(ns, err);
	if (rc >= 0)
		warn_unmarked(ns);
	if (dropped)
		hd_warn_n(&ns->p->log, "lost.budget", dropped, "select a part: --comm, --event or --symbol",
			"%s: samples were dropped: its stacks and names take more memory than the limit for an input "
			"of %llu bytes", ns->path, (unsigned long long)ns->input_bytes);
	free(ns->wanted);
	ns->wanted = NULL;
	hd_buf_release(&ns->name);
	hd_selector_release(&ns->select);
	hd_skip_rules_release(&ns->skip);
	return rc;
}

uint32_t hd_named_event(struct hd_named_samples *ns, const char *name, const char *unit)
{
	uint32_t id = hd_profile_add_event(ns->p, name,
		ns->opts->select.weight == HD_WEIGHT_SAMPLES ? "samples" : unit);

	while (ns->nwanted <= id) {
		HD_GROW(ns->wanted, ns->nwanted + 1, ns->wanted_cap);
		ns->wanted[ns->nwanted] = hd_selector_event(&ns->select,
			hd_profile_str(ns->p, ns->p->events[ns->nwanted].name));
		ns->nwanted++;
	}
	return id;
}

uint32_t hd_named_name(struct hd_named_samples *ns, const char *s, size_t n)
{
	char *stripped;

	if (!ns->opts->select.strip_version || memchr(s, '\0', n))
		return hd_strtab_addn(ns->p->names, s, n);
	hd_buf_reset(&ns->name);
	hd_buf_add(&ns->name, s, n);
	stripped = hd_selector_strip_version(hd_buf_str(&ns->name));
	hd_buf_reset(&ns->name);
	hd_buf_adds(&ns->name, stripped);
	free(stripped);
	return hd_strtab_addn(ns->p->names, hd_buf_str(&ns->name), ns->name.len);
}

bool hd_named_is_kernel(const char *object)
{
	static const char *const user[] = { "[unknown]", "[vdso]", "[vdso32]", "[vsyscall]", "[heap]", "[stack]",
		"[anon]", "[jit]", "[folded]", "[speedscope]" };
	const char *file = strrchr(object, '/');
	size_t n = strlen(object);

	if (object[0] == '[') {
		for (size_t i = 0; i < HD_COUNT(user); i++)
			if (!strcmp(object, user[i]))
				return false;
		return true;
	}
	file = file ? file + 1 : object;
	return !strncmp(file, "vmlinux", 7) || (n > 3 && !strcmp(object + n - 3, ".ko")) || strstr(file, ".ko.");
}

hd_frame_id hd_named_frame(struct hd_named_samples *ns, const struct hd_profile_symbol *symbol, struct hd_frame frame)
{
	frame.symbol = hd_profile_add_symbol(ns->p, symbol);
	ns->any_kernel |= symbol->kernel;
	if (!ns->opts->lines) {
		frame.vaddr = 0;
		frame.file = frame.line = 0;
	}
	return hd_profile_add_frame(ns->p, &frame);
}

void hd_named_push(struct hd_named_samples *ns, struct hd_named_sample *s, hd_frame_id frame)
{
	const struct hd_frame *f = &ns->p->frames[frame.v];

	if (ns->spent || --ns->frames_left < 0) {
		ns->spent = true;
		return;
	}
	if ((ns->opts->select.no_kernel && ns->p->symbols[f->symbol].kernel) || (ns->opts->no_inline && f->inlined)) {
		s->left_out = true;
		return;
	}
	s->stack = hd_stacks_add(ns->p->stacks, s->stack, frame);
	if (!f->inlined || !s->self.v)
		s->self = frame;
}

static bool is_selected(const struct hd_named_samples *ns, const struct hd_named_sample *s, hd_frame_id self)
{
	const struct hd_profile *p = ns->p;
	const struct hd_profile_symbol *leaf = &p->symbols[p->frames[self.v].symbol];

	if (!ns->wanted[s->event] || (s->left_out && !s->stack.v))
		return false;
	if (ns->select.any && (!hd_selector_ids(&ns->select, s->pid, s->tid, s->cpu) ||
			(ns->select.by_time && !hd_selector_time(&ns->select, s->time_ns))))
		return false;
	return hd_selector_comm(&ns->select, hd_profile_str(p, s->comm)) &&
		hd_selector_dso(&ns->select, hd_profile_str(p, p->objects[leaf->object].name)) &&
		hd_selector_symbol(&ns->select, leaf->unresolved ? HD_UNKNOWN : hd_profile_str(p, leaf->name),
			hd_profile_str(p, leaf->linkage));
}

static uint32_t cpu_of(const struct hd_named_samples *ns, const struct hd_named_sample *s)
{
	return ns->parts & HD_NAMED_CPU ? s->cpu : UINT32_MAX;
}

/* Keep the sample with its time (profile/timed_samples.h). */
static void keep_timed(struct hd_named_samples *ns, const struct hd_named_sample *s, struct hd_sample_row row)
{
	struct hd_timed_sample timed = { .time_ns = s->time_ns, .weight = row.weight, .cpu = cpu_of(ns, s) };

	if (ns->p->timed->n >= ns->most_timed) {
		ns->too_many_timed = true;
		return;
	}
	row.weight = row.count = 0;
	timed.row = hd_sample_rows_add(&ns->p->rows, &row);	/* weight 0: only returns the index of the row */
	hd_timed_samples_add(ns->p->timed, &timed);
}

/* Return the weight of a sample in the unit that --weight selects. */
static uint64_t weight_of(const struct hd_named_samples *ns, const struct hd_named_sample *s)
{
	return ns->opts->select.weight == HD_WEIGHT_SAMPLES && ns->parts & HD_NAMED_COUNT ? s->count : s->weight;
}

bool hd_named_add(struct hd_named_samples *ns, const struct hd_named_sample *s)
{
	struct hd_profile *p = ns->p;
	struct hd_sample_row row = {
		.stack = s->stack, .self = s->self, .event = s->event, .count = s->count,
		.comm = p->keys & HD_KEY_COMM ? s->comm : 0, .pid = p->keys & HD_KEY_PID ? s->pid : 0,
		.tid = p->keys & HD_KEY_TID ? s->tid : 0, .cpu = p->keys & HD_KEY_CPU ? cpu_of(ns, s) : 0,
		.weight = weight_of(ns, s),
	};

	p->read += s->count;
	if (++ns->unchecked >= CHECK_EVERY) {
		ns->unchecked = 0;
		ns->spent |= hd_profile_bytes(p) > ns->limit;
	}
	if (ns->spent) {
		hd_profile_drop(p, "lost.budget", s->count);
		return false;
	}
	hd_skip_rules_apply(&ns->skip, &row);
	if (!is_selected(ns, s, row.self)) {
		hd_profile_drop(p, "not selected", s->count);
		return false;
	}
	if (!hd_profile_add_bounded(p, &row, ns->path)) {
		hd_profile_drop(p, "lost.weight", s->count - 1);	/* one is counted by hd_profile_add_bounded() */
		return false;
	}
	p->kept += s->count;
	if (p->timed)
		keep_timed(ns, s, row);
	if (s->time_ns) {
		if (!p->recording.first_ns || s->time_ns < p->recording.first_ns)
			p->recording.first_ns = s->time_ns;
		if (s->time_ns > p->recording.last_ns)
			p->recording.last_ns = s->time_ns;
	}
	return true;
}
