/*
 * flamegraph.c - see flamegraph.h
 */
#include "cli/flamegraph.h"

#include "base/encode.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/profile_source.h"
#include "pipeline/folded_input.h"
#include "profile/call_tree.h"
#include "web/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_words(struct hd_buf *b, const char *what, const struct hd_string_list *w)
{
	for (size_t i = 0; i < w->n; i++)
		hd_buf_addf(b, "%s%s %s", b->len ? ", " : "", what, w->items[i]);
}

/* Append a description of the selection, which the subtitle shows if the picture covers only a part of the profile. */
static void describe_selection(struct hd_buf *b, const struct hd_selection *s)
{
	add_words(b, "comm", &s->comm);
	add_words(b, "pid", &s->pid);
	add_words(b, "tid", &s->tid);
	add_words(b, "cpu", &s->cpu);
	add_words(b, "object", &s->dso);
	add_words(b, "symbol", &s->symbol);
	if (s->time)
		hd_buf_addf(b, "%stime %s", b->len ? ", " : "", s->time);
	if (s->filter)
		hd_buf_addf(b, "%s%s", b->len ? ", " : "", s->filter);
	if (s->no_kernel)
		hd_buf_addf(b, "%swithout kernel frames", b->len ? ", " : "");
}

/* Append the text with character references in place of all characters outside ASCII. */
static void add_ascii(struct hd_buf *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint32_t cp;
		size_t len = (unsigned char)text[i] < 0x80 ? 0 : hd_utf8_decode(text + i, n - i, &cp);

		if (len)
			hd_buf_addf(out, "&#%u;", cp);
		else
			hd_buf_addc(out, text[i]);
		i += len ? len : 1;
	}
}

static int write_ascii(struct hd_outfile *out, const struct hd_profile *p, const struct hd_call_tree *t,
	const struct hd_flamegraph_opts *o, struct hd_err *err)
{
	static const char utf8[] = "encoding=\"UTF-8\"";
	struct hd_outfile memory;
	struct hd_buf text = { 0 };
	char *at;
	int rc;

	hd_outfile_memory(&memory);
	rc = hd_flamegraph_write(&memory, p, t, o, err);
	add_ascii(&text, hd_buf_str(&memory.pending), memory.pending.len);
	at = strstr(hd_buf_str(&text), utf8);
	if (at && at < text.data + 80) {
		size_t head = (size_t)(at - text.data);

		hd_outfile_add(out, text.data, head);
		hd_outfile_add(out, "encoding=\"US-ASCII\"", 19);
		hd_outfile_add(out, at + strlen(utf8), text.len - head - strlen(utf8));
	}
	hd_outfile_discard(&memory);
	hd_buf_release(&text);
	return rc;
}

/* Write the picture as the content of an HTML page. */
static int write_page(struct hd_outfile *out, const struct hd_profile *p, const struct hd_call_tree *t,
	const struct hd_flamegraph_opts *o, struct hd_err *err)
{
	struct hd_buf svg = { 0 }, script = { 0 }, title = { 0 };
	struct hd_flamegraph_opts fo = *o;
	struct hd_page page;
	int rc;

	fo.data = true;
	rc = hd_flamegraph_fragment(&svg, p, t, &fo, err);
	if (rc >= 0) {
		hd_flamegraph_title_text(&title, p, t, &fo);
		hd_page_init(&page, hd_buf_str(&title));
		hd_flamegraph_css(&page.css);
		hd_flamegraph_style_css(&page.css, &fo.style, fo.colours != NULL);
		hd_buf_adds(&page.css, "html,body{margin:0;min-height:100%}svg.hd-flame{display:block}\n");
		hd_page_body(&page, "flame.html", &(struct hd_page_piece){ "picture", "", &svg, "" }, 1);
		if (!fo.no_script)
			hd_flamegraph_js(&script);
		hd_page_script(&page, &script);
		hd_page_write(&page, out);
	}
	hd_buf_release(&svg);
	hd_buf_release(&script);
	hd_buf_release(&title);
	return rc;
}

/* Fail if no stack contains the function of --base-symbol. */
static int check_below(const struct hd_call_tree *t, const struct hd_string_list *below, struct hd_err *err)
{
	if (!below || t->nodes[0].total)
		return 0;
	return hd_fail(err, HD_EFORMAT,
		"no stack contains %s, the function of --base-symbol; 'hotdrift top -n 50' lists "
		"names", below->items[0]);
}

/*
 * Set the weight of the root to `total`, if it is larger than the sum of the stacks.  The difference is drawn as empty
 * space at the right.
 */
static void widen(struct hd_call_tree *t, double total, struct hd_log *log)
{
	uint64_t sum = t->nodes[0].total;

	if (!(total > 0))
		return;
	if (total < (double)sum) {
		hd_warn(log, "flame.total", "omit --total", "--total %.0f is less than the sum %llu and was ignored",
			total, (unsigned long long)sum);
		return;
	}
	t->nodes[0].total = (uint64_t)total;
}

int hd_flamegraph_of_input(struct hd_outfile *out, const struct hd_profile *p, const struct hd_flamegraph_tree *tree,
	const struct hd_flamegraph_opts *fo, const struct hd_selection *select, struct hd_log *log, struct hd_err *err)
{
	struct hd_call_tree_opts to = { .event = tree->event, .by_comm = tree->by_comm, .reverse = tree->reverse,
		.in_order = tree->in_order, .below = tree->below, .places = !fo->base,
		.least = fo->base || tree->total > 0 ? NULL : hd_flamegraph_least, .least_context = fo };
	struct hd_flamegraph_opts o = *fo;
	struct hd_buf filter = { 0 };
	struct hd_call_tree *t = hd_call_tree_new(p, &to);
	int rc = check_below(t, tree->below, err);

	describe_selection(&filter, select);
	o.filter = filter.len ? filter.data : NULL;
	widen(t, tree->total, log);
	if (rc >= 0)
		rc = fo->whole_page ? write_page(out, p, t, &o, err)
			: tree->ascii ? write_ascii(out, p, t, &o, err)
				      : hd_flamegraph_write(out, p, t, &o, err);
	hd_call_tree_free(t);
	hd_buf_release(&filter);
	return rc;
}

/* ---- several inputs ---- */

enum {
	NAMES_SHOWN = 8,		/* if there are more inputs, the title has only the first path and a count */
	/* when this many bytes of folded stacks are buffered, they are added to the profile */
	TEXT_MOST = 4 << 20,
};

/* The sum of several inputs.  Its memory depends on the distinct stacks, not on the number of inputs. */
struct input_sum {
	struct hd_profile *p;
	struct hd_pipeline_opts how;	/* how folded stacks are read */
	struct hd_buf text;		/* folded stacks of the last inputs, not yet added to the profile p */
	char *event;			/* event of the first input; NULL before it */
	char *unit;			/* NULL before the first input; "samples" if the units differ */
	/* how the stacks of all inputs were recorded (rate.h); NULL: before the first input, unknown, or mixed */
	const char *call_graph;
	uint64_t bytes;			/* size of all folded stacks that were added to p, in bytes */
};

/* Note how the stacks of an input were recorded.  Warn once if that differs, because stacks then have other frames. */
static void note_call_graph(struct input_sum *sum, const char *call_graph, struct hd_log *log)
{
	if (!sum->unit) {
		sum->call_graph = call_graph;
	} else if (sum->call_graph != call_graph) {
		if (sum->call_graph && call_graph)
			hd_warn(log, "flame.unlike", "record all inputs with the same perf record --call-graph",
				"the stacks of the inputs were recorded in different ways: call graph %s and %s",
				sum->call_graph, call_graph);
		sum->call_graph = NULL;
	}
}

/* Note the event of an input and its unit.  Warn once if they differ from those of the inputs before. */
static void note_event(struct input_sum *sum, const struct hd_profile *one, uint32_t event, struct hd_log *log)
{
	const char *name = hd_profile_str(one, one->events[event].name);
	const char *unit = hd_profile_str(one, one->events[event].unit);

	if (!sum->unit) {
		sum->event = hd_strdup(name);
		sum->unit = hd_strdup(unit);
		return;
	}
	if (strcmp(sum->event, name) || strcmp(sum->unit, unit))
		hd_warn(log, "flame.events", "select an event that all inputs have, with --event",
			"the inputs have different events, which are added up: %s in %s, and %s in %s",
			sum->event, sum->unit, name, unit);
	if (strcmp(sum->unit, unit)) {
		free(sum->unit);
		sum->unit = hd_strdup("samples");
	}
}

/* Append the stacks of the main event as folded text, which does not depend on the ids of this input. */
static void fold_input(struct input_sum *sum, const struct hd_profile *one, struct hd_log *log)
{
	const struct hd_folded_opts how = { .annotate = true, .counts = true };
	uint32_t event = hd_input_main_event(one);
	struct hd_outfile memory;

	note_call_graph(sum, one->events[event].rate.call_graph, log);
	note_event(sum, one, event, log);
	hd_outfile_memory(&memory);
	hd_folded_warn_omitted(log, one, hd_folded_write(&memory, one, event, &how));
	hd_buf_add(&sum->text, hd_buf_str(&memory.pending), memory.pending.len);
	hd_outfile_discard(&memory);
}

/* Add the stacks of the last inputs to the profile. */
static int add_text(struct input_sum *sum, struct hd_err *err)
{
	int fd = hd_file_temporary("several inputs", err), rc = fd;

	if (rc >= 0)
		rc = hd_file_pwrite(fd, hd_buf_str(&sum->text), sum->text.len, 0, "several inputs", err);
	if (rc >= 0)
		rc = hd_folded_input_read(sum->p, fd, "several inputs", &sum->how, err);
	if (fd >= 0)
		close(fd);
	sum->bytes += sum->text.len;
	hd_buf_reset(&sum->text);
	return rc;
}

static int add_input(struct input_sum *sum, const char *path, const struct hd_input *in, struct hd_log *log,
	struct hd_err *err)
{
	struct hd_profile *one;
	int rc = hd_profile_source_read_profile(&one, path, in, log, err);

	if (rc < 0)
		return rc;
	fold_input(sum, one, log);
	hd_profile_free(one);
	return sum->text.len < TEXT_MOST ? 0 : add_text(sum, err);
}

/*
 * Return the paths of the inputs, for the title; for more than NAMES_SHOWN inputs, the first path and the number of the
 * others.
 */
static char *names_of(char **paths, int n)
{
	struct hd_buf names = { 0 };

	for (int i = 0; i < n && (n <= NAMES_SHOWN || i == 0); i++)
		hd_buf_addf(&names, "%s%s", i ? ", " : "", paths[i]);
	if (n > NAMES_SHOWN)
		hd_buf_addf(&names, " and %d others", n - 1);
	return hd_buf_take(&names);
}

int hd_flamegraph_read_inputs(struct hd_profile_source *e, char **paths, int n, const struct hd_input *in,
	struct hd_log *log, struct hd_err *err)
{
	/* The reader limited the memory of each input, so the sum of all inputs needs no memory limit. */
	struct input_sum sum = {
		.how = { .keys = in->ingest.keys, .budget_bytes = UINT64_MAX, .sample_counts = true },
	};
	int rc = 0;

	if (n == 1)
		return hd_profile_source_open_stacks(e, paths[0], in, log, err);
	*e = (struct hd_profile_source){ 0 };
	sum.p = hd_profile_new();
	sum.p->keys = sum.how.keys;
	for (int i = 0; i < n && rc >= 0; i++)
		rc = add_input(&sum, paths[i], in, log, err);
	if (rc >= 0 && sum.text.len)
		rc = add_text(&sum, err);
	hd_log_add(log, &sum.p->log);
	if (rc >= 0) {
		sum.p->events[0].unit = hd_profile_name(sum.p, sum.unit);
		sum.p->events[0].rate.call_graph = sum.call_graph;
		sum.p->recording.path = names_of(paths, n);
		sum.p->recording.bytes = sum.bytes;
		e->p = sum.p;
	} else {
		hd_profile_free(sum.p);
	}
	free(sum.event);
	free(sum.unit);
	hd_buf_release(&sum.text);
	return rc;
}
