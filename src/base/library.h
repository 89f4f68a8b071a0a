/*
 * library.h - load a shared library when it is needed, and look up its functions
 *
 * Linking a library makes every start of the program slower.  One list of names declares the pointers and looks them
 * up:
 *
 *     #define FOO_FUNCTIONS(X) X(open) X(close)
 *     struct foo {
 *     #define X(name) __typeof__(foo_##name) *name;
 *             FOO_FUNCTIONS(X)
 *     #undef X
 *     };
 *     #define X(name) "foo_" #name "\0"
 *     library = hd_library_load("libfoo.so.1", RTLD_NOW | RTLD_LOCAL, FOO_FUNCTIONS(X), &foo, &lacks);
 *     #undef X
 */
#ifndef HD_BASE_LIBRARY_H
#define HD_BASE_LIBRARY_H

/* The value of a macro as a string: part of a soname. */
#define HD_NUMBER_TEXT(x)	HD_TEXT_OF(x)
#define HD_TEXT_OF(x)		#x

/*
 * Load `soname` with the flags of dlopen().  `names` holds strings that end with NUL, the last one empty; each is a
 * function of the library.  `functions` is a struct of as many function pointers in the same order, which are set.
 *
 * Returns the handle for dlsym().  Returns NULL if the library cannot be loaded, with *lacks NULL, or if it does not
 * have all functions; *lacks is then the first missing name.  If memory runs out, the program ends as in base/mem.h.
 * The library is never unloaded, because libraries that it uses may not support that.
 */
void *hd_library_load(const char *soname, int flags, const char *names, void *functions, const char **lacks);

#endif
