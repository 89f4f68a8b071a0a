/*
 * difference.h - two profiles as one tree: what changed, function by function and stack by stack
 *
 * Both call trees (profile/call_tree.h) are laid over each other by normalised names
 * (base/symbol_name.h): a function that one compiler called parse.isra.0 and the other parse is
 * one.  Functions of one name are one, whatever their object, as in folded text, and stacks
 * have inlined functions as frames: so a recording, folded text and a stored run can be
 * compared with each other.
 *
 *     base  main;parse;read 30  main;parse 10       node        self     total
 *     head  main;parse.isra.0;read 50               main         0  0    40 50
 *                                                   ..parse     10  0    40 50
 *                                                   ....read    30 50    30 50
 *
 * Rows have shares, and costs: what a run, or a unit of work, spent there.  A share falls when something else grows, so the
 * change of a row and its significance are those of its cost.  How much larger the head's runs are as a whole (they ran
 * longer, on a slower machine) is estimated from all functions, as gate does (stats/variance_model.h), and taken out.
 *
 * Significance is that of two single profiles, whose only error is counting (stats/shares.h):
 * the conditional test below 10 hits, else z; q adjusts over all rows with 10 hits or more on
 * both sides together (Benjamini-Hochberg), others are never significant.  Runs differ by more
 * than counting: `drift` knows, from several of each.
 *
 * Owns:  everything but the names, which are the profiles'.
 * Holds: node[i].parent < i; the sum of self of a side is the weight of its event.
 */
#ifndef HD_GATE_DIFFERENCE_H
#define HD_GATE_DIFFERENCE_H

#include "base/buf.h"
#include "base/nearest.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "profile/profile.h"

#include <stdbool.h>

enum { HD_BASE, HD_HEAD };

struct hd_difference_side {
	const struct hd_profile *p;
	uint32_t event;
	double samples;			/* that the weight was counted from; 0: as the profile tells */
	double runs;			/* whose weights were added up; 0: one */
	double work;			/* units of work that all of them did; 0: not known */
};

struct hd_difference_opts {
	bool exact;			/* names as they are, with _[k] and _[i] behind them */
	bool by_comm;			/* a first level of commands, when the profiles keep them apart */
};

/* A name that trees have; the command of a thread and a function so called are two. */
struct hd_difference_name {
	const char *name[2];		/* as each side has it, the first of several; NULL: not there */
	const char *key;		/* normalised */
	uint32_t flags;			/* HD_CALL_NODE_COMM, _UNKNOWN, _KERNEL (with exact also _INLINED) */
};

struct hd_difference_node {
	uint32_t parent, name, depth;
	uint64_t self[2], total[2];
};

struct hd_difference_row {
	uint32_t name, node;		/* node: of a stack */
	uint64_t self[2], total[2];	/* weights; of a stack total is its self */
	double share[2], total_share[2];	/* per cent of the side's weight */
	double hits[2];			/* in samples; NaN: not known */
	double points;			/* share[HEAD] - share[BASE] */
	double relative;		/* per cent of the base's share; infinite when there is none */
	double cost[2];			/* self cost of a run in the event's unit, or of a unit of work (per_work) */
	double cost_points; /* change of the cost in per cent of the base's total: `points` if the total did not change */
	/*
	 * How much the cost changed, per cent, by the estimator of gate (stats/verdict.h); infinite when it is new.  lo, hi: the 95 %
	 * interval; NaN where it is not known, as of stacks and of two single profiles.
	 */
	double change, lo, hi;
	double p, q;			/* NaN: no test */
	bool significant;		/* q <= 0.05 */
};

struct hd_difference {
	uint64_t weight[2];
	double samples[2];		/* effective; 0: not known, and nothing is tested */
	struct hd_strtab *keys;
	struct hd_difference_name *names;
	size_t nnames, names_cap;
	struct hd_trie trie;
	struct hd_difference_node *nodes;	/* 0: all */
	size_t nnodes, nodes_cap;
	uint32_t *place
		[2]; /* of each node of a side's own tree (hd_call_tree_new with the same options): the node here */
	struct hd_difference_row *symbols, *stacks;	/* largest |points| first, ties by name */
	size_t nsymbols, nstacks;
	double moved;			/* half the sum of |points| of symbols */
	bool per_work;			/* costs are those of a unit of work, else of a run */
	double size; /* of head's runs by that of base's, as far as no function explains it: ln; 0 with per_work */
	double divisor[2];		/* runs or units of work: weight / divisor is a cost */
	double scale;			/* a share of the head by this is the same cost as a share of the base */
};

void hd_difference_build(struct hd_difference *d, const struct hd_difference_side *base,
	const struct hd_difference_side *head, const struct hd_difference_opts *o);
void hd_difference_release(struct hd_difference *d);

/*
 * How many samples stand behind an event's weight.  Of periods that differ (sum w)^2 / sum w^2, as far as rows tell; of
 * folded text the weight up to ten million, else the weight by the number of 1,000 or more that divides all counts, else
 * 0: periods that differ, and nobody knows how many.
 */
double hd_difference_samples(const struct hd_profile *p, uint32_t event);

/* The name that a pattern of a user means: normalised or as a side has it; UINT32_MAX: none. */
/*
 * Take the change of a function from a comparison of its runs (gate/judge.h), if self costs mean the same there: the shares, in
 * per cent, agree.  Returns true if the change was taken.
 */
bool hd_difference_take(struct hd_difference *d, const char *symbol, const double share[2], double change, double lo,
	double hi);

/* Try all functions, for "did you mean". */
void hd_difference_try(const struct hd_difference *d, struct hd_nearest *n);
uint32_t hd_difference_find(const struct hd_difference *d, const char *name);
/* Does the stack of a node hold the name?  through: nnodes bytes. */
void hd_difference_through(const struct hd_difference *d, uint32_t name, unsigned char *through);

/* One place of the tree, with all below it: its two shares, and whether chance explains the difference. */
struct hd_difference_row hd_difference_at(const struct hd_difference *d, uint32_t node);

/* Lines `frame;frame BASE HEAD` of all stacks; normalized: base's counts times head's weight by base's, rounded down. */
void hd_difference_folded(struct hd_buf *out, const struct hd_difference *d, bool normalized);

#endif
