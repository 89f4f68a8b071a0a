/*
 * differential.h - compare the outputs of two commands for many inputs, and keep small inputs that differ
 *
 * An input is a line.  One process of each command reads a batch of lines from its standard input, because a process
 * for each of 1,000,000 inputs would take an hour.  The inputs come from
 *
 *     the corpus      files DIR/NAME.input, each as a batch of its own
 *     --input FILE    the lines of FILE
 *     --generate N    input_generator.h
 *
 * The commands agree on a batch if they end in the same way and their outputs are the same within the tolerance
 * (text_compare.h).  If only the outputs differ, and both have one line for each input line, the differing output lines
 * show which inputs differ.  Any other batch for which they do not agree is reduced as a whole.
 *
 * An input is made small by delta debugging (ddmin.h): its lines, then the words of its lines.  Then each number loses
 * its sign and becomes 0, 1 or a number with fewer digits, as long as the outputs still differ.  The result goes to
 * DIR/HASH.input, so that the next session begins with it; HASH is the first 16 digits of its SHA-256.
 */
#ifndef HD_BENCH_DIFFERENTIAL_H
#define HD_BENCH_DIFFERENTIAL_H

#include "bench/bench.h"
#include "bench/input_generator.h"

enum {
	HD_DIFFERENTIAL_KEEP = 10,		/* limit for the inputs in hd_differential.found */
	HD_DIFFERENTIAL_TESTS = 2000,		/* limit for the tests that make one input small */
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
	char *file;			/* path of its file in the corpus, or NULL */
	struct hd_buf output[HD_BENCH_VARIANTS];	/* the first bytes, or how the command ended */
	bool stored;			/* the corpus had the file before this session */
};

struct hd_differential {
	struct hd_bench *b;		/* has the variants, tolerances, input file and timeout */
	const struct hd_differential_opts *o;
	struct hd_input_generator generator;
	uint64_t inputs;		/* number of lines that were compared: of --input, and generated */
	uint64_t differ;		/* number of these lines whose outputs differ; a lower bound if `more` */
	bool more;			/* a batch that could not be divided into lines differs */
	unsigned replayed, replayed_differ;	/* numbers of corpus files that were run, and that differ */
	uint64_t batches, processes;
	struct hd_differential_found found[HD_DIFFERENTIAL_KEEP];
	size_t nfound;
	int fd;				/* temporary file with the current batch; -1: none */
};

/* Run the session.  The caller has set d->b and d->o.  A signal ends the session early (b->stopped_by). */
int hd_differential_run(struct hd_differential *d, struct hd_err *err);
void hd_differential_release(struct hd_differential *d);

/* Write o->inputs generated inputs to `path`, one per line. */
int hd_differential_write_inputs(const struct hd_differential_opts *o, const char *path, struct hd_err *err);

/* render/bench_differential.c */
void hd_differential_text(struct hd_buf *out, const struct hd_differential *d, bool markdown);
void hd_differential_json(struct hd_buf *out, const struct hd_differential *d);

/* ---- differential_batch.c ---- */

/*
 * Run both commands on a text.  Returns 1 if their outputs disagree, 0 if they agree or if a signal ended the session,
 * or < 0 if the text cannot be written to the temporary file or a command cannot be started.
 */
int hd_differential_test(struct hd_differential *d, const char *text, size_t n, struct hd_err *err);
/*
 * Run both commands on a batch of lines, and add the number of lines with different outputs to d->differ.  If the
 * outputs cannot be assigned to lines, add 1 to d->differ for the whole batch and set d->more.  Shorten and store each
 * input that differs, until the session has HD_DIFFERENTIAL_KEEP of them.  Returns >= 0, or < 0 on error.
 */
int hd_differential_batch(struct hd_differential *d, const char *text, size_t n, struct hd_err *err);
/*
 * Add an input and its two outputs to d->found, unless d->found is full or has this input.  If it is added, the
 * function takes ownership of *input, and writes the input to the corpus unless its file exists there.
 */
int hd_differential_keep(struct hd_differential *d, struct hd_buf *input, struct hd_err *err);

/* ---- differential_shrink.c ---- */

/* Shorten *text, an input for which the outputs of the commands differ, so that they still differ for it. */
int hd_differential_shrink(struct hd_differential *d, struct hd_buf *text, struct hd_err *err);

#endif
