/*
 * ini.h - parse hotdrift.ini, the targets of a repository
 *
 *     [hotdrift]
 *     results = results               where profile.sh puts its folders
 *     db      = results/hotspots.db
 *     remote  = postgresql://...      the database that 'hotdrift push' sends runs to
 *     weights = cpu=3, memory=1       weights of the modes, for 'hotdrift opportunities'
 *
 *     [owners]
 *     parser = Parser::*              who owns which symbols and files (profile/owner_rules.h)
 *
 *     [target parser]
 *     build = make profile            a command line that profile.sh runs by `sh -c`
 *     run   = build/parser big.json   the recorded command line
 *
 * Paths are relative to the folder of the file.  Reading executes nothing.  The file is looked up from a folder up to
 * the root of its git checkout, and outside a checkout in that folder only.  Users trust it like a Makefile, so a file
 * found by this lookup is used only if its owner is accepted (history/checkout_owner.h).
 *
 * Syntax: a line whose text begins with `;` or `#` is a comment.  `key = value` sets a key.  A line with a larger
 * indent than its key continues the value.  `;` and `#` inside a value are part of it.
 *
 * struct hd_ini owns copies of all strings.
 */
#ifndef HD_CLI_INI_H
#define HD_CLI_INI_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>

enum { HD_INI_MAX_BYTES = 1 << 20, HD_INI_MAX_LINE = 8192, HD_INI_MAX_NAME = 40, HD_INI_MAX_TARGETS = 1000,
	HD_INI_MAX_OWNERS = 1000 };

/* The keys, in the order in which `hotdrift target NAME` prints them. */
enum hd_ini_key {
	HD_INI_DESCRIPTION,
	HD_INI_BUILD, HD_INI_RUN, HD_INI_DIR, HD_INI_MODES,
	HD_INI_EVENT, HD_INI_FREQUENCY, HD_INI_CALL_GRAPH, HD_INI_MAX_SIZE, HD_INI_DURATION, HD_INI_CPUS,
	HD_INI_CONFIG, HD_INI_LATENCY_CSV, HD_INI_MEMORY_CSV, HD_INI_POWER_CSV, HD_INI_RESULTS_CSV, HD_INI_SERIES_CSV,
	HD_INI_WORK,
	HD_INI_KV_CACHE, HD_INI_ACTIVATION, HD_INI_TEMP_BUFFER, HD_INI_SKIP,
	HD_INI_ENV, HD_INI_LIMITS, HD_INI_PIN, HD_INI_RULES, HD_INI_COVERS,
	HD_INI_KEYS
};

struct hd_ini_target {
	const char *name;
	unsigned line;				/* line number of the header [target NAME] */
	/* the value of each key; NULL: not set; the lines of a continued value are separated by \n */
	const char *value[HD_INI_KEYS];
	unsigned value_line[HD_INI_KEYS];
};

/* A rule of section [owners]. */
struct hd_ini_owner {
	const char *name, *patterns;
	unsigned line;
};

struct hd_ini {
	struct hd_arena arena;
	struct hd_ini_target *targets;		/* in the order of the file */
	size_t ntargets, cap;
	const char *db, *results, *remote, *weights;	/* values of [hotdrift]; NULL: not set */
	unsigned weights_line;
	struct hd_ini_owner *owners;		/* in the order of the file */
	size_t nowners, owners_cap;
};

const char *hd_ini_key_name(enum hd_ini_key key);

/*
 * Parse `len` bytes into a zeroed *out.  `path` is used in messages.  Unknown keys and sections are warnings.
 * Contradictions and invalid values are HD_EFORMAT, with their line except for db, results and remote.  On failure *out
 * is released.
 */
int hd_ini_parse(struct hd_ini *out, const char *text, size_t len, const char *path,
		 struct hd_log *log, struct hd_err *err);
/* Read and parse a file.  Its owner is not checked. */
int hd_ini_read(struct hd_ini *out, const char *path, struct hd_log *log, struct hd_err *err);
void hd_ini_release(struct hd_ini *ini);

const struct hd_ini_target *hd_ini_find(const struct hd_ini *ini, const char *name);	/* or NULL */

/*
 * Append the path of the hotdrift.ini that applies to the folder `from` (absolute).  Returns 1: found; 0: none;
 * HD_EFORMAT: it belongs to a user who is not accepted (history/checkout_owner.h), and the message names the fix.
 *
 * A caller that would execute a command from the file, or choose a database or an output by it, must fail on
 * HD_EFORMAT.  Other callers use hd_ini_locate_or_warn(), which warns and returns false.
 */
int hd_ini_locate(struct hd_buf *path, const char *from, struct hd_err *err);
bool hd_ini_locate_or_warn(struct hd_buf *path, const char *from, struct hd_log *log);

#endif
