/*
 * chain_walk.h - check the entries of hash chains of runs, in portions that do not depend on each other
 *
 * A plan has the heads of all chains and, for a verification from the last verified head (verified_heads.h), where each
 * chain begins to be read.  hd_chain_plan_next() divides the entries into portions: several short chains, or a part of
 * a long one.  A part begins with the hash that the entry before it has in the database, so each portion can be checked
 * by another thread with a connection of its own.
 *
 *     while (hd_chain_plan_next(&plan, &portion))
 *             rc = hd_chain_portion_check(&found, &plan, &portion, db, err);
 *
 * All entries are valid if all portions are.  The first invalid entry is that of the first invalid portion, whatever
 * the size of the portions.
 */
#ifndef HD_TRUST_CHAIN_WALK_H
#define HD_TRUST_CHAIN_WALK_H

#include "trust/chain.h"
#include "trust/verified_heads.h"

struct hd_chain_plan {
	struct hd_chain_heads heads;	/* of all chains of runs, in the order in which they are read */
	/* indexed like heads.items: the last entry that was verified before; NULL: the chain is read from its start */
	const struct hd_verified_head **verified;
	const struct hd_verified_heads *since;	/* borrowed; may be NULL */
	bool lists;			/* one statement can read several chains from different entries on */
	const char *anchor;		/* see hd_chain_verify_opts; borrowed */
	int64_t entries, unread;	/* number of entries to read, and not to read; estimates, if heads are wrong */
	int64_t portion;		/* most entries of a portion; the caller may change it, 1 to HD_CHAIN_PORTION */
	/* the next portion: its chain; the first entry of this chain, 0: its first one */
	size_t chain;
	int64_t from;
	size_t handed;			/* number of portions that hd_chain_plan_next() returned */
};
enum { HD_CHAIN_PORTION = 2048 };

/*
 * Make a plan for the heads of the transaction that `db` is in.  `heads` are those of all chains; since: may be NULL.
 * Both are borrowed.  Returns HD_ENO if a chain of `since` is not in the database.
 */
int hd_chain_plan_make(struct hd_chain_plan *plan, struct hd_db *db, const struct hd_chain_heads *heads,
	const struct hd_verified_heads *since, struct hd_err *err);
void hd_chain_plan_release(struct hd_chain_plan *plan);

/* The entries of the chains `chain` to `end` - 1 of the plan, or of one chain the entries `from` to `to` - 1. */
struct hd_chain_portion {
	size_t number;			/* 0, 1, ... */
	size_t chain, end;
	int64_t from;			/* 0: from where the plan begins to read each chain */
	int64_t to;			/* -1: up to the head */
};
/* Return false if all portions were returned. */
bool hd_chain_plan_next(struct hd_chain_plan *plan, struct hd_chain_portion *portion);

/* What a portion had. */
struct hd_chain_portion_result {
	int64_t runs, pruned;
	char anchor[HD_CHAIN_NAME];	/* id of the first run with the hash of the plan's anchor; "": none */
	int64_t after;			/* number of entries that follow this run in its chain */
	/* run.id of all runs if the plan has `since`; the caller frees it */
	int64_t *ids;
	size_t nids, ids_cap;
};
/*
 * Check the entries of a portion.  Returns HD_ENO with the first entry that is altered, missing or inserted.
 * Thread-safe for different connections.
 */
int hd_chain_portion_check(struct hd_chain_portion_result *found, const struct hd_chain_plan *plan,
	const struct hd_chain_portion *portion, struct hd_db *db, struct hd_err *err);

#endif
