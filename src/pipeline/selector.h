/*
 * selector.h - compile a selection, and test which samples it selects
 *
 * Ids, CPU and time must be tested for each sample.  Each kind of name has a function of its own, so that a caller can
 * test each distinct name once and cache the result.
 */
#ifndef HD_PIPELINE_SELECTOR_H
#define HD_PIPELINE_SELECTOR_H

#include "base/err.h"
#include "pipeline/options.h"

struct hd_filter;

struct hd_number_list {
	uint64_t *items;
	size_t n;
};

struct hd_selector {
	const struct hd_selection *opts;
	struct hd_number_list pid, tid, cpu;
	struct hd_filter *filter;	/* --filter, or NULL */
	uint64_t from_ns, to_ns;	/* inclusive; 0 and UINT64_MAX if open */
	bool by_time;
	bool any;			/* by_time, or a list of ids or CPUs is not empty */
	bool by_name;			/* comm is not empty, or there is a filter */
};

/* Compile `opts`, which is borrowed.  Returns HD_EUSAGE for invalid values; the caller then need not release `s`. */
int hd_selector_init(struct hd_selector *s, const struct hd_selection *opts, struct hd_err *err);
void hd_selector_release(struct hd_selector *s);

/*
 * Each of the following functions returns true if the value is selected.  An option that was not given selects
 * everything.
 */
bool hd_selector_ids(const struct hd_selector *s, int32_t pid, int32_t tid, uint32_t cpu);
bool hd_selector_time(const struct hd_selector *s, uint64_t time_ns);
bool hd_selector_event(const struct hd_selector *s, const char *name);
bool hd_selector_comm(const struct hd_selector *s, const char *comm);
bool hd_selector_dso(const struct hd_selector *s, const char *path);
bool hd_selector_symbol(const struct hd_selector *s, const char *display, const char *linkage);

/*
 * For --strip-version: return hd_symbol_normalise(linkage) without @VERSION.  The caller frees the string.  The suffix
 * @plt is kept, and so is a suffix with more than one word after the @.
 */
char *hd_selector_strip_version(const char *linkage);

#endif
