/*
 * difference.h - compare two profiles: what changed, function by function and stack by stack
 *
 * Both call trees (profile/call_tree.h) are merged by normalised names (base/symbol_name.h), so `parse` in one profile
 * and its compiler variant `parse.isra.0` in the other are one function.  Functions with the same name are one
 * function, even in different objects; but a kernel function and a user function are always two.  Inlined functions are
 * frames of the stacks.  This makes recordings, folded text and stored runs comparable with each other.
 *
 *     base  main;parse;read 30  main;parse 10       node        self     total
 *     head  main;parse.isra.0;read 50               main         0  0    40 50
 *                                                   ..parse     10  0    40 50
 *                                                   ....read    30 50    30 50
 *
 * Each row has, for base and head, its share of the profile's weight, and its cost: the weight per run, or per unit of
 * work.  The share of a function falls when another function grows.  Therefore the change of a row and its significance
 * are computed from costs.  The runs of the head can be larger as a whole, because they ran longer or on a slower
 * machine.  If the work is unknown, this factor is estimated from all functions, as in gate (stats/variance_model.h),
 * and the changes do not include it.
 *
 * Significance is computed for two single profiles, with counting as the only source of error (stats/shares.h): by the
 * conditional test if a side has fewer than 10 samples, else by the z test.  If the runs are compared as they are, the
 * numbers of samples are Poisson counts; otherwise they are binomial shares of the total.  q is adjusted
 * (Benjamini-Hochberg) over the symbols, and separately over the stacks, that have at least 10 samples on both sides
 * together; other rows are never significant.  In fact runs also vary from run to run; `drift` takes this into account
 * if there are several runs per side.
 *
 * Ownership: the names belong to the profiles, which must outlive the difference.  struct hd_difference owns everything
 * else.  Invariant: node[i].parent < i; the sum of all self[HD_BASE] is the weight of the event in the base, and that
 * of all self[HD_HEAD] is its weight in the head.
 */
#ifndef HD_GATE_DIFFERENCE_H
#define HD_GATE_DIFFERENCE_H

#include "base/buf.h"
#include "base/nearest.h"
#include "base/strtab.h"
#include "base/trie.h"
#include "profile/profile.h"
#include "profile/top.h"

#include <stdbool.h>

enum { HD_BASE, HD_HEAD };

struct hd_difference_side {
	const struct hd_profile *p;
	uint32_t event;
	double samples;			/* number of samples of the event; 0: use hd_difference_samples() */
	double runs;			/* number of runs whose weights were added; 0: one */
	double work;			/* units of work of all runs together; 0: unknown */
	/*
	 * The self costs of whole functions, inlined code included, to which skip rules have been applied
	 * (profile/skip_rules.h).  If both sides have them, the rows of symbols have these self costs.  NULL: those of
	 * the stacks.  Used by hd_difference_build() only
	 */
	const struct hd_top *functions;
};

struct hd_difference_opts {
	/* compare names without normalising them; a function and its inlined copies are then different names */
	bool exact;
	bool by_comm;			/* first level: comms, if the profiles have them */
	bool as_they_are;		/* both sides did the same work, so `size` of the difference is 0 */
	const double *size;		/* the known `size` of the difference; NULL: estimate it */
};

/* A name in the trees.  Equal names with different flags, such as a comm and a function, are two entries. */
struct hd_difference_name {
	const char *name[2];		/* in base and head: the first name that normalises to `key`; NULL: none */
	const char *key;		/* normalised; if opts.exact, or if the function is unknown, the name itself */
	uint32_t flags;			/* HD_CALL_NODE_COMM, _UNKNOWN, _KERNEL; if opts.exact, also _INLINED */
	uint64_t self[2];		/* self cost in base and head */
};

struct hd_difference_node {
	uint32_t parent, name, depth;
	uint64_t self[2], total[2];
};

struct hd_difference_row {
	uint32_t name, node;		/* indexes in names[] and, for a stack, in nodes[] */
	uint64_t self[2], total[2];	/* weights; for a stack, total equals self */
	double share[2], total_share[2];	/* per cent of the side's weight */
	double hits[2];			/* estimated number of samples; NaN: unknown */
	double points;			/* share[HEAD] - share[BASE] */
	double relative;		/* points in per cent of the base's share; infinite if only that is 0 */
	double cost[2];			/* self cost per run in the event's unit, or per unit of work (per_work) */
	double cost_points;		/* change of cost in per cent of the base's total cost */
	/*
	 * Change of cost in per cent, without the factor `size` below; infinite if the row is new.  lo and hi are the
	 * bounds of its 95 % interval.  hd_difference_take() sets the three from a comparison of gate; else lo and hi
	 * are NaN.
	 */
	double change, lo, hi;
	double p, q;			/* NaN: not tested */
	bool significant;		/* q <= 0.05; in a row of hd_difference_at(), p <= 0.05 */
};

struct hd_difference {
	uint64_t weight[2];
	/* effective number of samples; 0: unknown, then no difference is tested for significance */
	double samples[2];
	struct hd_strtab *keys;
	struct hd_difference_name *names;
	size_t nnames, names_cap;
	struct hd_trie trie;
	struct hd_difference_node *nodes;	/* node 0 is the root */
	size_t nnodes, nodes_cap;
	/*
	 * place[side][i] is the index in nodes[] of node i of the call tree of the base (side 0) or head (side 1).
	 * That call tree must have been built with the same options.
	 */
	uint32_t *place[2];
	struct hd_difference_row *symbols, *stacks;	/* largest |points| first, ties by name */
	size_t nsymbols, nstacks;
	double moved;			/* half the sum of |points| of symbols */
	bool per_work;			/* true: costs are per unit of work; false: per run */
	/* the totals are compared, too, because the work is known, runs were in turns, or costs are of memory */
	bool as_they_are;
	/*
	 * ln of the factor by which head's runs are larger as a whole, for example because they ran longer.  The
	 * changes do not include this factor.  0 if costs are per unit of work
	 */
	double size;
	/* number of runs or of units of work; a cost is a weight divided by this number */
	double divisor[2];
	/* factor from a share in head to a cost in units of base's total, without `size` */
	double scale;
};

void hd_difference_build(struct hd_difference *d, const struct hd_difference_side *base,
	const struct hd_difference_side *head, const struct hd_difference_opts *o);
void hd_difference_release(struct hd_difference *d);

/*
 * Estimate the number of samples from which the weight of an event was summed.
 *
 * For samples with the periods w: (sum w)^2 / sum w^2, computed from the rows of the profile, and at most the number of
 * samples of the event.  For an event of GPU captures, which are measured and not sampled: the weight.  For folded
 * text: the weight, if it is at most ten million.  A larger weight is divided by the common divisor of all counts if
 * this divisor is at least 1,000; otherwise the result is 0 (unknown).
 */
double hd_difference_samples(const struct hd_profile *p, uint32_t event);

/*
 * Replace the estimated change of a function by the one that gate computed from all runs (gate/judge.h): `change` with
 * its interval lo .. hi, in per cent.  symbol: the normalised name of the function.  share: the function's shares in
 * that comparison, in per cent.  If they differ from the shares of the row in `d` by more than rounding, nothing is
 * replaced, because the two self costs were then computed differently.  Returns true if the change was replaced, false
 * also if `d` has no such function.
 */
bool hd_difference_take(struct hd_difference *d, const char *symbol, const double share[2], double change, double lo,
	double hi);

/*
 * Find a function by its normalised name, or by its name in base or head.  Returns its index in names, or UINT32_MAX.
 */
uint32_t hd_difference_find(const struct hd_difference *d, const char *name);
/* Offer the normalised names of all functions to `n`, which finds the most similar one for "did you mean". */
void hd_difference_try(const struct hd_difference *d, struct hd_nearest *n);
/* Set each of the nnodes flags: through[i] is 1 if the stack of node i contains the name, else 0. */
void hd_difference_through(const struct hd_difference *d, uint32_t name, unsigned char *through);

/*
 * Compute the row of a subtree: the shares of the subtree on both sides, and whether chance alone explains their
 * difference (p).  The members q, lo and hi of the row are NaN.
 */
struct hd_difference_row hd_difference_at(const struct hd_difference *d, uint32_t node);

/*
 * Append lines `frame;frame BASE HEAD` for all stacks that have self cost.  Kernel functions get the suffix _[k], and
 * with opts.exact inlined ones _[i].  normalized: base counts are scaled to head's weight, rounded down.
 */
void hd_difference_folded(struct hd_buf *out, const struct hd_difference *d, bool normalized);

#endif
