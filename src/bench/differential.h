/*
 * differential.h - compare the outputs of two commands for many inputs, and keep small inputs that differ
 *
 * An input is a line.  One process of each command reads a batch of lines from its standard input, because a process
 * for each of 1,000,000 inputs would take an hour.  The inputs come from
 *
 *     the corpus      files DIR/NAME.input, each as a batch of its own
 *     --input FILE    its lines
 *     --generate N    input_generator.h
 *
 * The commands agree on a batch if they end in the same way and their outputs are the same within the tolerance
 * (text_compare.h).  If they do not, and both wrote one line for each input, each line whose outputs differ is an input
 * that differs.  Otherwise the batch is reduced as a whole.
 *
 * An input is made small by delta debugging (ddmin.h): its lines, then the words of its lines.  Then each number loses
 * its sign and becomes 0, 1 or a number with fewer digits, as long as the outputs still differ.  The result goes to
 * DIR/HASH.input, so that the next session begins with it; HASH are the first 16 digits of its SHA-256.
 */
#ifndef HD_BENCH_DIFFERENTIAL_H
#define HD_BENCH_DIFFERENTIAL_H

#include "bench/bench.h"
#include "bench/input_generator.h"

enum {
	HD_DIFFERENTIAL_KEEP = 10,		/* inputs that are made small */
	HD_DIFFERENTIAL_TESTS = 2000,		/* per input that is made small */
	HD_DIFFERENTIAL_VALUES_MAX = 10000,
	HD_DIFFERENTIAL_SHOWN = 120,		/* bytes of an input or output in the report */
};
#define HD_DIFFERENTIAL_INPUTS_MAX 1000000000000ull

struct hd_differential_opts {
	uint64_t inputs, seed;
	unsigned values, batch;
	const char *corpus;		/* a folder, or NULL */
};

/* A small input whose outputs differ. */
struct hd_differential_found {
	struct hd_buf input;
	char *file;			/* in the corpus, or NULL */
	struct hd_buf output[HD_BENCH_VARIANTS];	/* the first bytes, or how the command ended */
	bool stored;			/* the file was there before */
};

struct hd_differential {
	struct hd_bench *b;		/* variants, tolerances, input file, timeout */
	const struct hd_differential_opts *o;
	struct hd_input_generator generator;
	uint64_t inputs;		/* lines that were compared, generated or of the file */
	uint64_t differ;		/* of them; at least, if `more` */
	bool more;			/* a batch that could not be divided into lines differs */
	unsigned replayed, replayed_differ;	/* files of the corpus */
	uint64_t batches, processes;
	struct hd_differential_found found[HD_DIFFERENTIAL_KEEP];
	size_t nfound;
	int fd;				/* the batch */
};

/* Run the session; d->b and d->o are set.  A signal ends it early (b->stopped_by). */
int hd_differential_run(struct hd_differential *d, struct hd_err *err);
void hd_differential_release(struct hd_differential *d);

/* Write `n` generated inputs to `path`. */
int hd_differential_write_inputs(const struct hd_differential_opts *o, const char *path, struct hd_err *err);

/* render/bench_differential.c */
void hd_differential_text(struct hd_buf *out, const struct hd_differential *d, bool markdown);
void hd_differential_json(struct hd_buf *out, const struct hd_differential *d);

/* ---- differential_batch.c ---- */

/* Run both commands on a text; 1 if they disagree, 0 if they agree or a signal ended the session. */
int hd_differential_test(struct hd_differential *d, const char *text, size_t n, struct hd_err *err);
/* Compare the commands on a batch of lines; count and keep the inputs that differ. */
int hd_differential_batch(struct hd_differential *d, const char *text, size_t n, struct hd_err *err);
/* Store an input in the corpus, and its answers in d->found, unless it is known.  Takes *input if it is stored. */
int hd_differential_keep(struct hd_differential *d, struct hd_buf *input, struct hd_err *err);

/* ---- differential_shrink.c ---- */

/* Make an input small whose outputs differ.  `text` is replaced. */
int hd_differential_shrink(struct hd_differential *d, struct hd_buf *text, struct hd_err *err);

#endif
