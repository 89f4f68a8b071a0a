/*
 * library.c - see library.h
 */
#include "base/library.h"

#include "base/mem.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/*
 * Call dlopen().  Its error text does not report a lack of memory, because the loader does not keep the errno of
 * malloc().  So errno is tested here.
 */
static void *load(const char *soname, int flags)
{
	void *library;

	errno = 0;
	library = dlopen(soname, flags);
	if (!library && errno == ENOMEM)
		hd_out_of_memory(soname);
	return library;
}

void *hd_library_load(const char *soname, int flags, const char *names, void *functions, const char **lacks)
{
	void *library = load(soname, flags), *f;
	char *to = functions;

	*lacks = NULL;
	for (; library && *names; names += strlen(names) + 1, to += sizeof(f)) {
		f = dlsym(library, names);
		if (!f) {
			*lacks = names;
			return NULL;
		}
		memcpy(to, &f, sizeof(f));
	}
	return library;
}
