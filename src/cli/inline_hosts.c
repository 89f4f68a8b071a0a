/*
 * inline_hosts.c - see inline_hosts.h
 */
#include "cli/inline_hosts.h"

#include "annotate/symbol_pattern.h"
#include "base/mem.h"
#include "profile/profile.h"
#include "profile/symbol_text.h"
#include "render/unit_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTED = 3 };		/* maximum number of functions in the text */

/*
 * Return the symbol of the function that contains the innermost inlined copy in a stack, and set *copy to the symbol of
 * the copy.  HD_MAP_NONE: the stack has no copy.
 */
static uint32_t host_of(const struct hd_profile *p, hd_stack_id stack, const bool *matches, bool self, uint32_t *copy)
{
	bool found = false;

	for (hd_stack_id s = stack; s.v; s = hd_stacks_caller(p->stacks, s)) {
		const struct hd_frame *f = &p->frames[hd_stacks_frame(p->stacks, s).v];

		if (f->inlined && !found && matches[f->symbol]) {
			found = true;
			*copy = f->symbol;
		} else if (!f->inlined && (found || self)) {
			return found ? f->symbol : HD_MAP_NONE;
		}
	}
	return HD_MAP_NONE;
}

/* Write the heaviest functions.  Their weights become 0. */
static void write_text(struct hd_inline_hosts *h, const struct hd_profile *p, uint64_t *weights, uint64_t all)
{
	size_t more = 0;

	for (size_t n = 0; n < LISTED; n++) {
		char buf[HD_SYMBOL_TEXT];
		const char *name;
		uint32_t top = 0;

		for (uint32_t i = 1; i < p->nsymbols; i++)
			if (weights[i] > weights[top])
				top = i;
		if (!weights[top])
			break;
		name = hd_symbol_text(p, top, false, buf, sizeof(buf));
		if (!n)
			h->hottest = hd_strdup(name);
		hd_buf_addf(&h->text, "%s%s (", n ? ", " : "into ", name);
		hd_unit_text_share(&h->text, weights[top], all);
		hd_buf_addc(&h->text, ')');
		weights[top] = 0;
	}
	for (uint32_t i = 0; i < p->nsymbols; i++)
		more += weights[i] > 0;
	if (more)
		hd_buf_addf(&h->text, " and %zu more", more);
}

static void find(struct hd_inline_hosts *h, const struct hd_profile *p, const bool *matches, bool self)
{
	uint64_t *weights = hd_new_array(uint64_t, p->nsymbols + 1);
	uint32_t event = hd_input_main_event(p), copy = 0;

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct hd_sample_row *row = &p->rows.items[i];
		uint32_t host = row->event == event ? host_of(p, row->stack, matches, self, &copy) : HD_MAP_NONE;

		if (host == HD_MAP_NONE)
			continue;
		weights[host] += row->weight;
		if (!h->name && row->weight)
			h->name = hd_strdup(hd_profile_str(p, p->symbols[copy].name));
	}
	write_text(h, p, weights, p->events[event].weight);
	free(weights);
}

void hd_inline_hosts_find(struct hd_inline_hosts *h, const char *path, const struct hd_input *in, const char *pattern,
	bool self)
{
	struct hd_input again = *in;
	struct hd_symbol_pattern functions;
	struct hd_profile *p = NULL;
	struct hd_log quiet = { 0 };
	struct hd_err none = { 0 };

	*h = (struct hd_inline_hosts){ 0 };
	if (access(path, R_OK) != 0 || hd_symbol_pattern_init(&functions, pattern, &none) < 0)
		return;
	again.ingest.no_inline = false;
	again.ingest.symbol_user = NULL;
	if (hd_input_read_samples(&p, path, &again, &quiet, &none) >= 0) {
		bool *matches = hd_new_array(bool, p->nsymbols + 1);

		for (uint32_t i = 0; i < p->nsymbols; i++)
			matches[i] = true;
		hd_symbol_pattern_look(&functions, p, matches);
		for (uint32_t i = 0; i < p->nsymbols; i++)
			matches[i] = hd_symbol_pattern_matches(&functions, p, i);
		find(h, p, matches, self);
		free(matches);
	}
	hd_symbol_pattern_release(&functions);
	hd_profile_free(p);
	hd_log_release(&quiet);
}

void hd_inline_hosts_release(struct hd_inline_hosts *h)
{
	free(h->name);
	free(h->hottest);
	hd_buf_release(&h->text);
	*h = (struct hd_inline_hosts){ 0 };
}
