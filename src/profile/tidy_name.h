/*
 * tidy_name.h - write function names as stackcollapse-perf.pl and inferno-collapse-perf do
 *
 *     v8::internal::Invoke(bool, int)                v8::internal::Invoke
 *     std::function<int (int)>::operator()           std::function<int (int)>::operator
 *     net/http.(*Client).Do                          unchanged: a method of Go
 *     (anonymous namespace)::parse(int)              (anonymous namespace)::parse
 *     Ljava/io/PrintStream;::print  (of java)        java/io/PrintStream:::print
 *     [unknown] in /usr/bin/dd                       [dd]
 *
 * docs/peers.md lists where these programs disagree.
 */
#ifndef HD_PROFILE_TIDY_NAME_H
#define HD_PROFILE_TIDY_NAME_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Return the length of a demangled name without its parameters.  `operator()` and the parameters of an enclosing
 * function are parts of the name: `f(int)::g(char)` without parameters is `f(int)::g`, as c++filt -p writes it.
 */
size_t hd_name_without_parameters(const char *s, size_t n);

/*
 * Append a Rust name that perf demangled only partly: decode the escapes of rustc's legacy mangling (`$LT$`, `..`) and
 * remove the hash at the end.  Returns false, and appends nothing, if the name does not end in such a hash.
 */
bool hd_rust_unescape(struct hd_buf *out, const char *s, size_t n);

/*
 * Return true if an object of this name has code of a just-in-time compiler: a perf map, a file of perf inject, or
 * [jit].
 */
bool hd_object_is_jit(const char *object);
/*
 * Return true if the object's name is in brackets and stackcollapse-perf.pl and inferno-collapse-perf mark its frames
 * as kernel code.  They do so even for [vdso].  False for [unknown], [jit] and [folded].
 */
bool hd_object_is_bracketed(const char *object);

struct hd_tidy_frame {
	const char *name;	/* NULL: unresolved */
	size_t n;
	const char *object;
	bool java;		/* the process is a JVM: the L before class names is removed */
};

/* Append the tidy name of a frame.  An unresolved frame is its object in brackets, or [unknown]. */
void hd_tidy_name(struct hd_buf *out, const struct hd_tidy_frame *f);

#endif
