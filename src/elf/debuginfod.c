/*
 * debuginfod.c - see debuginfod.h
 */
#include "elf/debuginfod.h"

#include "base/mem.h"

#include <stdlib.h>

static bool is_asked_for(const struct hd_symobj *o)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return o->sy->opts.debuginfod && urls && *urls;
}

#ifdef HAVE_DEBUGINFOD

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_BUDGET_MS = 10000 };

struct hd_debuginfod {
	void *library;			/* NULL: not there */
	debuginfod_client *client;
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_find_debuginfo) *find_debuginfo;
	__typeof__(debuginfod_find_executable) *find_executable;
	__typeof__(debuginfod_set_progressfn) *set_progressfn;
	__typeof__(debuginfod_set_user_data) *set_user_data;
	int64_t left_ns;		/* of the budget */
	int64_t own_s;			/* the user's DEBUGINFOD_MAXTIME; INT64_MAX: none */
	int64_t deadline_ns;		/* of the question being asked */
};

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * The library calls this about once a second while a server sends a file, and gives up when the result is not 0.  Up to
 * version 0.191 it also calls this while no server has answered yet.  It hands over its client and no more; the function
 * that leads from there to the deadline is in the library, which is not linked but loaded.
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
 * From version 0.192 on, only DEBUGINFOD_MAXTIME ends the wait for a server that does not answer, and it keeps the library
 * from trying again.  The library reads it for each question and counts whole seconds.  A lower value of the user stays.
 */
static void limit_question(const struct hd_debuginfod *d)
{
	int64_t seconds = (d->left_ns + 999999999) / 1000000000;
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)(seconds < d->own_s ? seconds : d->own_s));
	setenv("DEBUGINFOD_MAXTIME", text, 1);
}

static bool load(struct hd_debuginfod *d)
{
	d->library = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY | RTLD_LOCAL);
	if (!d->library)
		return false;
	d->begin = dlsym(d->library, "debuginfod_begin");
	d->end = dlsym(d->library, "debuginfod_end");
	d->find_debuginfo = dlsym(d->library, "debuginfod_find_debuginfo");
	d->find_executable = dlsym(d->library, "debuginfod_find_executable");
	d->set_progressfn = dlsym(d->library, "debuginfod_set_progressfn");
	d->set_user_data = dlsym(d->library, "debuginfod_set_user_data");
	if (!d->begin || !d->end || !d->find_debuginfo || !d->find_executable || !d->set_progressfn ||
		!d->set_user_data)
		return false;
	d->client = d->begin();
	if (!d->client)
		return false;
	d->set_user_data(d->client, d);
	d->set_progressfn(d->client, on_progress);
	return true;
}

static struct hd_debuginfod *start(struct hd_symbols *sy)
{
	struct hd_debuginfod *d = hd_new(struct hd_debuginfod);
	unsigned ms = sy->opts.debuginfod_budget_ms;
	const char *own = getenv("DEBUGINFOD_MAXTIME");

	d->own_s = own ? atol(own) : 0;
	if (d->own_s <= 0)
		d->own_s = INT64_MAX;
	d->left_ns = (int64_t)(ms ? ms : DEFAULT_BUDGET_MS) * 1000000;
	if (!load(d))
		hd_warn(sy->log, "symbols.debuginfod-absent", "install libdebuginfod1",
			"DEBUGINFOD_URLS is set, but %s cannot be loaded", DEBUGINFOD_SONAME);
	return d;
}

/* One question; what comes back is checked like any other file. */
static struct hd_elf *ask(struct hd_symobj *o, __typeof__(debuginfod_find_debuginfo) *find, const uint8_t *id, size_t n,
			  struct hd_file_ref *place)
{
	struct hd_debuginfod *d = o->sy->debuginfod;
	int64_t before = now_ns();
	struct hd_elf *e = NULL;
	char *path = NULL;
	int fd;

	if (d->left_ns <= 0)
		return NULL;
	d->deadline_ns = before + d->left_ns;
	limit_question(d);
	fd = find(d->client, id, (int)n, &path);
	d->left_ns -= now_ns() - before;
	if (d->left_ns <= 0)
		hd_warn(o->sy->log, "symbols.debuginfod-budget", "run again: what was fetched is kept in its cache",
			"%s: no time left for debuginfod", o->path);
	if (fd < 0)
		return NULL;
	close(fd);
	fd = path ? hd_file_ref_open(place, NULL, path, o->sy->log, NULL) : -1;
	if (fd >= 0 && hd_elf_open(&e, fd, path, o->sy->log, NULL) >= 0 &&
		!hd_build_id_equal(id, n, e->build_id, e->build_id_len)) {
		hd_elf_close(e);
		e = NULL;
	}
	free(path);
	return e;
}

struct hd_elf *hd_debuginfod_find(struct hd_symobj *o, struct hd_elf *e, struct hd_file_ref *place)
{
	const uint8_t *id = e && e->build_id_len ? e->build_id : o->key.build_id;
	size_t n = e && e->build_id_len ? e->build_id_len : hd_object_has_build_id(o) ? o->key.build_id_len : 0;
	struct hd_debuginfod *d;
	struct hd_elf *found;

	if (!is_asked_for(o) || !n)
		return NULL;
	if (!o->sy->debuginfod)
		o->sy->debuginfod = start(o->sy);
	d = o->sy->debuginfod;
	if (!d->client)
		return NULL;
	found = ask(o, d->find_debuginfo, id, n, place);
	/* The file itself has its dynamic symbols at least; one that is here already has no more. */
	return found || e ? found : ask(o, d->find_executable, id, n, place);
}

void hd_debuginfod_free(struct hd_debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->end(d->client);
	/* The library stays loaded: its network stack does not survive being unloaded. */
	free(d);
}

#else /* !HAVE_DEBUGINFOD */

struct hd_elf *hd_debuginfod_find(struct hd_symobj *o, struct hd_elf *e, struct hd_file_ref *place)
{
	(void)e;
	(void)place;
	if (is_asked_for(o))
		hd_warn(o->sy->log, "symbols.debuginfod-absent", "build hotdrift with libdebuginfod-dev",
			"DEBUGINFOD_URLS is set, but this build cannot ask debuginfod servers");
	return NULL;
}

void hd_debuginfod_free(struct hd_debuginfod *d)
{
	(void)d;
}

#endif
