/*
 * symbol_access.h - look up addresses of a profile's objects before the symbols of its recording are released
 *
 * After a reader has read a recording, it calls hd_symbol_user.use and passes the symbols that it used itself: from
 * files of the recorded build, from a container, or from a bundle.  The pointers in struct hd_symbol_access are valid
 * only during the call.  A program that looks up addresses later, such as a browser, sets hd_symbol_user.lease: then
 * the struct and its pointers are valid until hd_symbol_lease_end().
 *
 * Not thread-safe.
 */
#ifndef HD_SYMBOLS_SYMBOL_ACCESS_H
#define HD_SYMBOLS_SYMBOL_ACCESS_H

#include "symbols/jitdump_set.h"
#include "symbols/symbols.h"

struct hd_profile;

struct hd_symbol_access {
	struct hd_symbols *symbols;
	/*
	 * If `symbols` come from a bundle: an hd_symbols that opens files of this machine, because a bundle contains no
	 * code.  It finds only files with the recorded build-id.  Otherwise NULL.
	 */
	struct hd_symbols *local;
	/* The jitdumps of the recording, whose files contain code.  NULL: a bundle, whose jitdumps have no code. */
	const struct hd_jitdump_set *jitdumps;
	const char *symfs;		/* the root folder of the recorded machine's files; NULL: none was given */
	/* Fill in the key of an object of the profile.  Returns false if no sample was in the object. */
	bool (*key)(const void *ctx, uint32_t profile_object, struct hd_symbols_key *key);
	const void *ctx;
};

/*
 * Keeps a struct hd_symbol_access valid after hd_symbol_user.use returned.  Lookups use strings of the profile, so
 * there may be no more lookups after the profile was freed.
 */
struct hd_symbol_lease {
	void (*end)(void *reader);	/* NULL: nothing is kept */
	void *reader;
};

static inline void hd_symbol_lease_end(struct hd_symbol_lease *lease)
{
	if (lease->end)
		lease->end(lease->reader);
	*lease = (struct hd_symbol_lease){ 0 };
}

struct hd_symbol_user {
	void (*use)(void *arg, struct hd_profile *p, const struct hd_symbol_access *access);
	void *arg;
	/*
	 * If not NULL, the reader fills in the lease, and the caller ends it.  The lease stays empty if the recording
	 * has no addresses.
	 */
	struct hd_symbol_lease *lease;
};

#endif
