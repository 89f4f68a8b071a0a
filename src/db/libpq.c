/*
 * libpq.c - see libpq.h
 */
#include "db/libpq.h"

#ifdef HAVE_LIBPQ

#include <dlfcn.h>

#define SONAME "libpq.so.5"

int hd_libpq_load(struct hd_libpq *pq, struct hd_err *err)
{
	void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
	const char *lacks = NULL;

	if (!library)
		return hd_fail(err, HD_EIO,
			"--db: a PostgreSQL server needs %s, which cannot be loaded: install libpq5", SONAME);
#define X(name)						\
	pq->name = dlsym(library, "PQ" #name);		\
	if (!pq->name)					\
		lacks = "PQ" #name;
	HD_LIBPQ_FUNCTIONS(X)
#undef X
	if (lacks)
		return hd_fail(err, HD_EIO, "--db: %s is too old: it has no %s", SONAME, lacks);
	return 0;		/* never closed: its own libraries do not like to be */
}

#endif
