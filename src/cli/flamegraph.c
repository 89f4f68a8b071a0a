/*
 * flamegraph.c - see flamegraph.h
 */
#include "cli/flamegraph.h"

#include "profile/call_tree.h"

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

int hd_flamegraph_of_input(struct hd_outfile *out, const struct hd_profile *p, uint32_t event, bool by_comm,
	const struct hd_flamegraph_opts *fo, const struct hd_selection *select, struct hd_err *err)
{
	struct hd_call_tree_opts to = { .event = event, .by_comm = by_comm };
	struct hd_flamegraph_opts o = *fo;
	struct hd_buf filter = { 0 };
	struct hd_call_tree *t = hd_call_tree_new(p, &to);
	int rc;

	describe_selection(&filter, select);
	o.filter = filter.len ? filter.data : NULL;
	rc = hd_flamegraph_write(out, p, t, &o, err);
	hd_call_tree_free(t);
	hd_buf_release(&filter);
	return rc;
}
