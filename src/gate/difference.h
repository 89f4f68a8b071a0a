/*
 * difference.h - compare two profiles: what changed, function by function and stack by stack
 *
 * Both call trees (profile/call_tree.h) are merged by normalised names (base/symbol_name.h), so a function that one
 * compiler called parse.isra.0 and another parse is one function.  Functions of the same name are one, whatever their
 * object, and stacks have inlined functions as frames.  This makes recordings, folded text and stored runs comparable
 * with each other.
 *
 *     base  main;parse;read 30  main;parse 10       node        self     total
 *     head  main;parse.isra.0;read 50               main         0  0    40 50
 *                                                   ..parse     10  0    40 50
 *                                                   ....read    30 50    30 50
 *
 * Rows have shares, and costs: what a run, or a unit of work, spent there.  A share falls when something else grows, so
 * the change of a row and its significance are those of its cost.  How much larger the head's runs are as a whole (they
 * ran longer, or on a slower machine) is estimated from all functions, as gate does (stats/variance_model.h), and
 * removed.
 *
 * Significance is that of two single profiles, whose only error is counting (stats/shares.h): the conditional test
 * below 10 hits, else z.  q adjusts over all rows with at least 10 hits on both sides together (Benjamini-Hochberg);
 * other rows are never significant.  Runs vary by more than counting; `drift` takes that into account, given several
 * runs per side.
 *
 * Ownership: the names belong to the profiles, which must outlive the difference.  It owns everything else.
 * Invariant: node[i].parent < i; the sum of self over a side is the weight of its event.
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
	double samples;			/* number of samples of the event; 0: use hd_difference_samples() */
	double runs;			/* number of runs whose weights were added; 0: one */
	double work;			/* units of work of all runs together; 0: unknown */
};

struct hd_difference_opts {
	/* compare names without normalising them; kernel and inlined functions get the suffixes _[k] and _[i] */
	bool exact;
	bool by_comm;			/* first level: comms, if the profiles have them */
};

/* A normalised name in the trees.  A comm and a function of the same name are two entries. */
struct hd_difference_name {
	const char *name[2];		/* per side, the first name that normalises to `key`; NULL: there is none */
	const char *key;		/* normalised */
	uint32_t flags;			/* HD_CALL_NODE_COMM, _UNKNOWN, _KERNEL (with exact also _INLINED) */
};

struct hd_difference_node {
	uint32_t parent, name, depth;
	uint64_t self[2], total[2];
};

struct hd_difference_row {
	uint32_t name, node;		/* node: of a stack */
	uint64_t self[2], total[2];	/* weights; for a stack, total equals self */
	double share[2], total_share[2];	/* per cent of the side's weight */
	double hits[2];			/* in samples; NaN: unknown */
	double points;			/* share[HEAD] - share[BASE] */
	double relative;		/* per cent of the base's share; infinite if that is 0 */
	double cost[2];			/* self cost per run in the event's unit, or per unit of work (per_work) */
	double cost_points;		/* change of cost in per cent of the base's total cost */
	/*
	 * Change of cost in per cent, by the estimator of gate (stats/verdict.h); infinite if the row is new.  lo,
	 * hi: its 95 % interval; NaN if unknown, as for stacks and for two single profiles.
	 */
	double change, lo, hi;
	double p, q;			/* NaN: not tested */
	bool significant;		/* q <= 0.05 */
};

struct hd_difference {
	uint64_t weight[2];
	/* effective number of samples; 0 if unknown, in which case no difference is tested */
	double samples[2];
	struct hd_strtab *keys;
	struct hd_difference_name *names;
	size_t nnames, names_cap;
	struct hd_trie trie;
	struct hd_difference_node *nodes;	/* node 0 is the root */
	size_t nnodes, nodes_cap;
	uint32_t *place[2];		/* per side: node of its call tree (with the same options) -> index in node[] */
	struct hd_difference_row *symbols, *stacks;	/* largest |points| first, ties by name */
	size_t nsymbols, nstacks;
	double moved;			/* half the sum of |points| of symbols */
	bool per_work;			/* true: costs are per unit of work; false: per run */
	double size;			/* ln of the size of head's runs relative to base's; 0 with per_work */
	double divisor[2];		/* runs or units of work; a cost is a weight divided by this */
	double scale;			/* a head share times scale is a cost in units of the base's total */
};

void hd_difference_build(struct hd_difference *d, const struct hd_difference_side *base,
	const struct hd_difference_side *head, const struct hd_difference_opts *o);
void hd_difference_release(struct hd_difference *d);

/*
 * Estimate from how many samples an event's weight was counted.
 *
 * For varying periods: (sum w)^2 / sum w^2, as far as the rows show it.  For folded text: the weight up to ten million;
 * beyond that the weight divided by the common divisor of all counts if that is at least 1,000, else 0 (unknown).
 */
double hd_difference_samples(const struct hd_profile *p, uint32_t event);

/*
 * Replace the estimated change of a function by the one that gate computed from all runs
 * (gate/judge.h): `change` with its interval lo .. hi.  share: the function's shares in that
 * comparison, in per cent.  Nothing is replaced if they differ from the shares of the rows here,
 * because then the two self costs do not mean the same.  Returns true if the change was replaced.
 */
bool hd_difference_take(struct hd_difference *d, const char *symbol, const double share[2], double change, double lo,
	double hi);

/* Find a function by its normalised name, or by its name on a side.  Returns its index in names, or UINT32_MAX. */
uint32_t hd_difference_find(const struct hd_difference *d, const char *name);
/* Offer the names of all functions to `n`, which selects the one for "did you mean". */
void hd_difference_try(const struct hd_difference *d, struct hd_nearest *n);
/* Set each of the nnodes flags: through[i] is 1 if the stack of node i contains the name, else 0. */
void hd_difference_through(const struct hd_difference *d, uint32_t name, unsigned char *through);

/*
 * Compute the row of a subtree: its shares with callees, and whether chance explains their
 * difference.  The row has no cost, q or interval.
 */
struct hd_difference_row hd_difference_at(const struct hd_difference *d, uint32_t node);

/*
 * Append lines `frame;frame BASE HEAD` for all stacks.  normalized: base counts are scaled to head's weight, rounded
 * down.
 */
void hd_difference_folded(struct hd_buf *out, const struct hd_difference *d, bool normalized);

#endif
