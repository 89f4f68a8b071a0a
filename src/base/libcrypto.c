/*
 * libcrypto.c - see libcrypto.h
 *
 * libcrypto 3.0 crashes if an allocation fails while it initialises, so it is given allocation functions that do not
 * return NULL.  It must not read its configuration file either, which may load modules.
 *
 * The library can be loaded after hd_sandbox_enter(), which forbids neither reading files nor mapping code.
 */
#include "base/libcrypto.h"

#include "base/library.h"
#include "base/log.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Load the version of the library that the headers describe, because their constants are valid for it only. */
#define SONAME		"libcrypto.so." HD_NUMBER_TEXT(OPENSSL_SHLIB_VERSION)
#define PACKAGE		"libssl" HD_NUMBER_TEXT(OPENSSL_SHLIB_VERSION)

static struct hd_libcrypto functions;		/* set once, by begin() */

static void *allocate(size_t n, const char *file, int line)
{
	(void)file, (void)line;
	return hd_alloc(n);
}

static void *reallocate(void *p, size_t n, const char *file, int line)
{
	(void)file, (void)line;
	if (n)
		return hd_realloc(p, n, 1);
	free(p);
	return NULL;
}

static void release(void *p, const char *file, int line)
{
	(void)file, (void)line;
	free(p);
}

static _Noreturn void fail(const char *lacks)
{
	const char *why = lacks ? NULL : dlerror();
	char text[512];

	snprintf(text, sizeof(text), "hashes need %s (Debian: " PACKAGE " or " PACKAGE "t64): %s%s", SONAME,
		lacks ? "it has no function " : "", lacks ? lacks : why ? why : "it cannot be loaded");
	hd_print_message("error", text);
	_exit(6);
}

static void begin(void)
{
	const char *lacks;

#define X(name) #name "\0"
	if (!hd_library_load(SONAME, RTLD_NOW | RTLD_LOCAL, HD_LIBCRYPTO_FUNCTIONS(X), &functions, &lacks))
		fail(lacks);
#undef X
	functions.CRYPTO_set_mem_functions(allocate, reallocate, release);	/* must be the first call */
	/*
	 * Without NO_ATEXIT, OpenSSL's exit handler would allocate memory, which may fail after the
	 * output was written.
	 */
	functions.OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

const struct hd_libcrypto *hd_libcrypto(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, begin);
	return &functions;
}
