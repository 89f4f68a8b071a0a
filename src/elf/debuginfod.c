/*
 * debuginfod.c - see debuginfod.h
 */
#include "elf/debuginfod.h"

#include "base/library.h"
#include "base/mem.h"

#include <stdlib.h>

static bool has_servers(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

#ifdef HAVE_DEBUGINFOD

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_BUDGET_MS = 10000 };

/* The functions of libdebuginfod that are used; X(name) is debuginfod_name. */
#define LIBDEBUGINFOD_FUNCTIONS(X) \
	X(begin) X(end) X(find_debuginfo) X(find_executable) X(set_progressfn) X(set_user_data)

struct libdebuginfod {
#define X(name) __typeof__(debuginfod_##name) *name;
	LIBDEBUGINFOD_FUNCTIONS(X)
#undef X
};

struct hd_debuginfod {
	unsigned budget_ms;
	bool started;
	struct libdebuginfod lib;
	debuginfod_client *client;
	int64_t left_ns;		/* time that is left of the budget */
	int64_t user_limit_s;		/* the user's DEBUGINFOD_MAXTIME; INT64_MAX: none */
	int64_t deadline_ns;		/* end of the current query */
};

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * libdebuginfod calls this about once a second while a server sends a file, and aborts the transfer if the result is
 * not 0.  Up to version 0.191 it also calls this while it waits for the first answer.  The deadline is in the user data
 * of the client.  debuginfod_get_user_data() is looked up here, because the library is loaded with dlopen() and not
 * linked.
 */
static int on_progress(debuginfod_client *client, long done, long all)
{
	void *library = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY | RTLD_NOLOAD);
	__typeof__(debuginfod_get_user_data) *get = library ? dlsym(library, "debuginfod_get_user_data") : NULL;
	const struct hd_debuginfod *d = get ? get(client) : NULL;

	(void)done;
	(void)all;
	if (library)
		dlclose(library);
	return !d || now_ns() >= d->deadline_ns;
}

/*
 * Set DEBUGINFOD_MAXTIME to the time that is left, in whole seconds, unless the user has set a lower value.
 * libdebuginfod reads this variable for each query.  Since version 0.192, only this limit ends the wait for a server
 * that does not answer; it also prevents retries.
 */
static void limit_query(const struct hd_debuginfod *d)
{
	int64_t seconds = (d->left_ns + 999999999) / 1000000000;
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)(seconds < d->user_limit_s ? seconds : d->user_limit_s));
	setenv("DEBUGINFOD_MAXTIME", text, 1);
}

static bool load(struct hd_debuginfod *d)
{
	const char *lacks;

#define X(name) "debuginfod_" #name "\0"
	if (!hd_library_load(DEBUGINFOD_SONAME, RTLD_LAZY | RTLD_LOCAL, LIBDEBUGINFOD_FUNCTIONS(X), &d->lib, &lacks))
		return false;
#undef X
	d->client = d->lib.begin();
	if (!d->client)
		return false;
	d->lib.set_user_data(d->client, d);
	d->lib.set_progressfn(d->client, on_progress);
	return true;
}

struct hd_debuginfod *hd_debuginfod_new(unsigned budget_ms)
{
	struct hd_debuginfod *d = hd_new(struct hd_debuginfod);

	d->budget_ms = budget_ms ? budget_ms : DEFAULT_BUDGET_MS;
	return d;
}

static void start(struct hd_debuginfod *d, struct hd_log *log)
{
	const char *own = getenv("DEBUGINFOD_MAXTIME");

	d->started = true;
	d->user_limit_s = own ? atol(own) : 0;
	if (d->user_limit_s <= 0)
		d->user_limit_s = INT64_MAX;
	d->left_ns = (int64_t)d->budget_ms * 1000000;
	if (!load(d))
		hd_warn(log, "symbols.debuginfod-absent", "install libdebuginfod1",
			"DEBUGINFOD_URLS is set, but %s cannot be loaded", DEBUGINFOD_SONAME);
}

typedef __typeof__(debuginfod_find_debuginfo) find_fn;

/* Query the servers for one file and verify its build-id. */
static struct hd_elf *query(struct hd_debuginfod *d, find_fn *find, const struct hd_debugfile_query *q,
	const uint8_t *id, size_t n, struct hd_file_ref *place)
{
	int64_t before = now_ns();
	struct hd_elf *e = NULL;
	char *path = NULL;
	int fd;

	if (d->left_ns <= 0)
		return NULL;
	d->deadline_ns = before + d->left_ns;
	limit_query(d);
	fd = find(d->client, id, (int)n, &path);
	d->left_ns -= now_ns() - before;
	if (d->left_ns <= 0)
		hd_warn(q->log, "symbols.debuginfod-budget", "run again: fetched files are cached",
			"%s: the time budget for debuginfod is used up", q->path);
	if (fd < 0)
		return NULL;
	close(fd);
	fd = path ? hd_file_ref_open(place, NULL, path, q->log, NULL) : -1;
	if (fd >= 0 && hd_elf_open(&e, fd, path, q->log, NULL) >= 0 &&
		!hd_build_id_equal(id, n, e->build_id, e->build_id_len)) {
		hd_elf_close(e);
		e = NULL;
	}
	free(path);
	return e;
}

struct hd_elf *hd_debuginfod_find(struct hd_debuginfod *d, const struct hd_debugfile_query *q, struct hd_elf *e,
	struct hd_file_ref *place)
{
	const uint8_t *id = e && e->build_id_len ? e->build_id : q->build_id;
	size_t n = e && e->build_id_len ? e->build_id_len : q->build_id_len;
	struct hd_elf *found;

	if (!d || !n || !has_servers())
		return NULL;
	if (!d->started)
		start(d, q->log);
	if (!d->client)
		return NULL;
	found = query(d, d->lib.find_debuginfo, q, id, n, place);
	/*
	 * Without a debug file, the binary is still useful for its dynamic symbols.  If the binary is open already
	 * (`e`), fetching it again adds nothing.
	 */
	return found || e ? found : query(d, d->lib.find_executable, q, id, n, place);
}

void hd_debuginfod_free(struct hd_debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->lib.end(d->client);
	/* libdebuginfod stays loaded, because its network stack does not survive dlclose(). */
	free(d);
}

#else /* !HAVE_DEBUGINFOD */

struct hd_debuginfod *hd_debuginfod_new(unsigned budget_ms)
{
	(void)budget_ms;
	return hd_alloc(1);
}

struct hd_elf *hd_debuginfod_find(struct hd_debuginfod *d, const struct hd_debugfile_query *q, struct hd_elf *e,
	struct hd_file_ref *place)
{
	(void)e;
	(void)place;
	if (d && has_servers())
		hd_warn(q->log, "symbols.debuginfod-absent", "build hotdrift with libdebuginfod-dev",
			"DEBUGINFOD_URLS is set, but this build cannot query debuginfod servers");
	return NULL;
}

void hd_debuginfod_free(struct hd_debuginfod *d)
{
	free(d);
}

#endif
