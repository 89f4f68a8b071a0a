/*
 * bench_differential.c - print how two commands compare on many inputs; see bench/differential.h
 *
 * {"format":"hotdrift.bench-inputs","version":1,"sides":[{"name","command":[]}],"inputs","differ","at_least","seed",
 *  "values","zeros","infinities","nans","denormals","batches","processes","corpus":{"folder","replayed","differ"},
 *  "interrupted_by","verdict","found":[{"input","file","stored","base","head"}]}
 */
#include "bench/differential.h"

#include "base/encode.h"
#include "base/jsonw.h"
#include "render/table.h"
#include "render/unit_text.h"

#include <string.h>

static void shown(struct hd_buf *out, const struct hd_buf *text, bool markdown)
{
	size_t n = text->len;

	while (n && text->data[n - 1] == '\n')
		n--;
	if (n > HD_DIFFERENTIAL_SHOWN)
		n = HD_DIFFERENTIAL_SHOWN;
	if (markdown)
		hd_enc_md(out, hd_buf_str(text), n);
	else
		hd_enc_term(out, hd_buf_str(text), n);
	if (text->len > n + 1)
		hd_buf_adds(out, " ...");
}

static void line_of_inputs(struct hd_buf *out, const struct hd_differential *d, bool markdown)
{
	const struct hd_input_generator *g = &d->generator;

	hd_bench_text_label(out, "inputs", markdown);
	hd_unit_text_count(out, d->inputs);
	hd_buf_addf(out, " in %llu batches, %llu processes\n", (unsigned long long)d->batches,
		(unsigned long long)d->processes);
	if (!d->o->inputs)
		return;
	hd_bench_text_label(out, "", markdown);
	hd_buf_addf(out, "generated: seed %llu, %u number%s each; ", (unsigned long long)d->o->seed, d->o->values,
		hd_bench_plural(d->o->values));
	hd_unit_text_count(out, g->zeros);
	hd_buf_adds(out, " zeros, ");
	hd_unit_text_count(out, g->infinities);
	hd_buf_adds(out, " infinities, ");
	hd_unit_text_count(out, g->nans);
	hd_buf_adds(out, " NaNs, ");
	hd_unit_text_count(out, g->denormals);
	hd_buf_adds(out, " denormals\n");
}

static void lines_of_found(struct hd_buf *out, const struct hd_differential *d, bool markdown)
{
	for (size_t i = 0; i < d->nfound; i++) {
		const struct hd_differential_found *f = &d->found[i];

		hd_bench_text_label(out, i ? "" : "differ", markdown);
		shown(out, &f->input, markdown);
		for (unsigned s = 0; s < HD_BENCH_VARIANTS; s++) {
			hd_buf_addf(out, "; %s: ", d->b->side[s].name);
			shown(out, &f->output[s], markdown);
		}
		if (f->file) {
			hd_buf_adds(out, f->stored ? "; in " : "; kept in ");
			hd_table_name(out, f->file, markdown);
		}
		hd_buf_addc(out, '\n');
	}
}

void hd_differential_text(struct hd_buf *out, const struct hd_differential *d, bool markdown)
{
	for (unsigned s = 0; s < HD_BENCH_VARIANTS; s++)
		hd_bench_text_command(out, d->b, s, markdown);
	line_of_inputs(out, d, markdown);
	if (d->o->corpus) {
		hd_bench_text_label(out, "corpus", markdown);
		hd_table_name(out, d->o->corpus, markdown);
		hd_buf_addf(out, ": %u replayed, %u of them differ\n", d->replayed, d->replayed_differ);
	}
	lines_of_found(out, d, markdown);
	hd_bench_text_label(out, d->differ || d->replayed_differ ? "FAIL" : "PASS", markdown);
	if (d->differ) {
		hd_buf_adds(out, d->more ? "the outputs differ for at least " : "the outputs differ for ");
		hd_unit_text_count(out, d->differ);
		hd_buf_addf(out, " input%s\n", d->differ == 1 ? "" : "s");
	} else if (d->replayed_differ) {
		hd_buf_adds(out, "the outputs differ for the corpus\n");
	} else {
		hd_buf_addf(out, "the outputs are the same within the tolerance (%g) for all inputs\n",
			d->b->o->relative);
	}
}

static void json_found(struct hd_jsonw *w, const struct hd_differential *d)
{
	hd_jsonw_open(w, "found", '[');
	for (size_t i = 0; i < d->nfound; i++) {
		const struct hd_differential_found *f = &d->found[i];

		hd_jsonw_row(w, NULL, '{');
		hd_jsonw_strn(w, "input", hd_buf_str(&f->input), f->input.len);
		hd_jsonw_str(w, "file", f->file);
		hd_jsonw_bool(w, "stored", f->stored);
		for (unsigned s = 0; s < HD_BENCH_VARIANTS; s++)
			hd_jsonw_strn(w, d->b->side[s].name, hd_buf_str(&f->output[s]), f->output[s].len);
		hd_jsonw_close(w, '}');
	}
	hd_jsonw_close(w, ']');
}

void hd_differential_json(struct hd_buf *out, const struct hd_differential *d)
{
	struct hd_jsonw w = hd_jsonw_to(out);

	hd_jsonw_open(&w, NULL, '{');
	hd_jsonw_str(&w, "format", "hotdrift.bench-inputs");
	hd_jsonw_u64(&w, "version", 1);
	hd_jsonw_open(&w, "sides", '[');
	for (unsigned s = 0; s < HD_BENCH_VARIANTS; s++) {
		const struct hd_argv *c = &d->b->side[s].command;

		hd_jsonw_row(&w, NULL, '{');
		hd_jsonw_str(&w, "name", d->b->side[s].name);
		hd_jsonw_open(&w, "command", '[');
		for (size_t i = 0; i < c->argc; i++)
			hd_jsonw_str(&w, NULL, c->argv[i]);
		hd_jsonw_close(&w, ']');
		hd_jsonw_close(&w, '}');
	}
	hd_jsonw_close(&w, ']');
	hd_jsonw_u64(&w, "inputs", d->inputs);
	hd_jsonw_u64(&w, "differ", d->differ);
	hd_jsonw_bool(&w, "at_least", d->more);
	hd_jsonw_u64(&w, "seed", d->o->seed);
	hd_jsonw_u64(&w, "values", d->o->values);
	hd_jsonw_u64(&w, "zeros", d->generator.zeros);
	hd_jsonw_u64(&w, "infinities", d->generator.infinities);
	hd_jsonw_u64(&w, "nans", d->generator.nans);
	hd_jsonw_u64(&w, "denormals", d->generator.denormals);
	hd_jsonw_u64(&w, "batches", d->batches);
	hd_jsonw_u64(&w, "processes", d->processes);
	hd_jsonw_row(&w, "corpus", '{');
	hd_jsonw_str(&w, "folder", d->o->corpus);
	hd_jsonw_u64(&w, "replayed", d->replayed);
	hd_jsonw_u64(&w, "differ", d->replayed_differ);
	hd_jsonw_close(&w, '}');
	hd_jsonw_str(&w, "interrupted_by", d->b->stopped_by ? sigabbrev_np(d->b->stopped_by) : NULL);
	hd_jsonw_str(&w, "verdict", d->differ || d->replayed_differ ? "FAIL" : "PASS");
	json_found(&w, d);
	hd_jsonw_close(&w, '}');
}
