/*
 * dhat.c - see dhat.h
 */
#include "render/dhat.h"
#include "render/export_format.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "heap/events.h"

#include <stdlib.h>
#include <string.h>

enum {
	TICKS_SHORT = 1024
}; /* lifetime in allocated bytes; dh_view.js marks blocks with a shorter lifetime as short-lived */

struct point { uint64_t sum[HD_HEAP_EVENTS]; };

struct writing {
	const struct hd_profile *p;
	struct hd_strtab *texts;	/* texts of frames; id 0 is "" and unused */
	uint32_t *of_frame;		/* indexed by frame: id of its text; 0: not made yet */
	uint32_t *of_stack;		/* indexed by stack: its path of texts, plus 1; 0: not made yet */
	struct hd_trie paths;
	struct point *points;		/* indexed by path */
	size_t npoints, points_cap;
};

/* Return the id of a frame's text: "0x4011ab: main (leaks.c:44)", or "(in OBJECT)" if the source line is unknown. */
static uint32_t frame_text(struct writing *w, uint32_t frame)
{
	const struct hd_profile *p = w->p;
	const struct hd_frame *f = &p->frames[frame];
	const struct hd_profile_symbol *s = &p->symbols[f->symbol];
	struct hd_buf b = { 0 };
	bool unknown;

	if (w->of_frame[frame])
		return w->of_frame[frame];
	if (s->unresolved)
		hd_buf_addf(&b, "0x%llx: ???", (unsigned long long)s->start);
	else
		hd_buf_addf(&b, "0x%llx: %s", (unsigned long long)f->vaddr,
			hd_profile_frame_name(p, (hd_frame_id){ frame }, &unknown));
	if (f->file)
		hd_buf_addf(&b, " (%s:%u)", hd_profile_str(p, f->file), f->line);
	else
		hd_buf_addf(&b, " (in %s)", hd_profile_str(p, p->objects[s->object].name));
	w->of_frame[frame] = hd_strtab_addn(w->texts, hd_buf_str(&b), b.len);
	hd_buf_release(&b);
	return w->of_frame[frame];
}

/*
 * Return the path in w->paths for a stack: the texts of its frames.  Stacks with equal texts share a path, because
 * dh_view.js rejects duplicate stacks.
 */
static uint32_t path_of(struct writing *w, uint32_t stack)
{
	const struct hd_stack_node *nodes = hd_stacks_nodes(w->p->stacks);

	return stack ? hd_trie_add(&w->paths, w->of_stack[nodes[stack].caller] - 1, frame_text(w, nodes[stack].frame))
		     : 0;
}

static void sum_up(struct writing *w)
{
	const struct hd_profile *p = w->p;
	uint32_t n = hd_stacks_count(p->stacks);

	w->texts = hd_strtab_new();
	w->of_frame = hd_new_array(uint32_t, p->nframes);
	w->of_stack = hd_new_array(uint32_t, n);
	/* This creates the root of the paths, and makes "[root]" the first text of "ftbl", as in valgrind's files. */
	hd_trie_add(&w->paths, 0, hd_strtab_add(w->texts, "[root]"));
	for (uint32_t i = 0; i < n; i++)
		w->of_stack[i] = path_of(w, i) + 1;
	w->npoints = w->paths.n;
	w->points = hd_new_array(struct point, w->npoints);
	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *r = &p->rows.items[i];
		int event = hd_heap_event_find(hd_profile_str(p, p->events[r->event].name));

		if (event >= 0)
			w->points[w->of_stack[r->stack.v] - 1].sum[event] += r->weight;
	}
}

static void write_point(struct hd_jsonw *j, const struct writing *w, uint32_t path)
{
	const uint64_t *sum = w->points[path].sum;
	bool end_is_more = sum[HD_HEAP_LEAKED] > sum[HD_HEAP_PEAK];

	hd_jsonw_row(j, NULL, '{');
	hd_jsonw_u64(j, "tb", sum[HD_HEAP_ALLOCATED]);
	hd_jsonw_u64(j, "tbk", sum[HD_HEAP_ALLOCATIONS]);
	hd_jsonw_u64(j, "tl", sum[HD_HEAP_LIFETIME]);
	hd_jsonw_u64(j, "mb", sum[end_is_more ? HD_HEAP_LEAKED : HD_HEAP_PEAK]);
	hd_jsonw_u64(j, "mbk", sum[end_is_more ? HD_HEAP_LEAKED_BLOCKS : HD_HEAP_PEAK_BLOCKS]);
	hd_jsonw_u64(j, "gb", sum[HD_HEAP_PEAK]);
	hd_jsonw_u64(j, "gbk", sum[HD_HEAP_PEAK_BLOCKS]);
	hd_jsonw_u64(j, "eb", sum[HD_HEAP_LEAKED]);
	hd_jsonw_u64(j, "ebk", sum[HD_HEAP_LEAKED_BLOCKS]);
	hd_jsonw_open(j, "fs", '[');
	for (; path; path = w->paths.nodes[path].parent)
		hd_jsonw_u64(j, NULL, w->paths.nodes[path].label - 1);
	hd_jsonw_close(j, ']');
	hd_jsonw_close(j, '}');
}

static void write_command(struct hd_jsonw *j, const struct hd_recording *r)
{
	struct hd_buf b = { 0 };

	for (size_t i = 0; i < r->ncmdline; i++)
		hd_buf_addf(&b, "%s%s", i ? " " : "", r->cmdline[i]);
	hd_jsonw_str(j, "cmd", hd_buf_str(&b));
	hd_buf_release(&b);
}

void hd_dhat_write(struct hd_buf *out, const struct hd_profile *p)
{
	struct writing w = { .p = p };
	struct hd_jsonw j = hd_jsonw_to(out);

	sum_up(&w);
	hd_jsonw_open(&j, NULL, '{');
	hd_jsonw_u64(&j, "dhatFileVersion", 2);
	hd_jsonw_str(&j, "mode", "heap");
	hd_jsonw_str(&j, "verb", "Allocated");
	hd_jsonw_bool(&j, "bklt", true);
	hd_jsonw_bool(&j, "bkacc", false);
	hd_jsonw_str(&j, "tu", "allocated bytes");
	hd_jsonw_str(&j, "Mtu", "allocated MB");
	hd_jsonw_u64(&j, "tuth", TICKS_SHORT);
	write_command(&j, &p->recording);
	hd_jsonw_u64(&j, "pid", p->recording.heap_pid);
	hd_jsonw_u64(&j, "tg", p->recording.heap_peak_clock);
	hd_jsonw_u64(&j, "te", p->recording.heap_clock);
	hd_jsonw_open(&j, "pps", '[');
	for (uint32_t path = 1; path < w.npoints; path++)
		if (w.points[path].sum[HD_HEAP_ALLOCATIONS])
			write_point(&j, &w, path);
	hd_jsonw_close(&j, ']');
	hd_jsonw_open(&j, "ftbl", '[');
	for (uint32_t text = 1; text < hd_strtab_count(w.texts); text++)
		hd_jsonw_strn(&j, NULL, hd_strtab_get(w.texts, text), hd_strtab_len(w.texts, text));
	hd_jsonw_close(&j, ']');
	hd_jsonw_close(&j, '}');
	free(w.of_frame);
	free(w.of_stack);
	free(w.points);
	hd_trie_release(&w.paths);
	hd_strtab_free(w.texts);
}

static int check(const struct hd_profile *p, const char *path, struct hd_err *err)
{
	if (p->recording.heap_interval)
		return 0;
	return hd_fail(err, HD_EFORMAT,
		"%s: not a heap recording; DHAT's format holds nothing else (--to pprof takes any input)", path);
}

static void write_file(struct hd_outfile *out, const struct hd_profile *p)
{
	struct hd_buf text = { 0 };

	hd_dhat_write(&text, p);
	hd_export_finish(out, &text);
}

const struct hd_export_format hd_export_dhat = { .lifetimes = true, .check = check, .write = write_file };
