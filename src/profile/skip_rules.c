/*
 * skip_rules.c - see skip_rules.h
 */
#include "profile/skip_rules.h"

#include "base/mem.h"
#include "profile/stack_classes.h"
#include "base/glob.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, KEPT, SKIPPED };

/*
 * Default patterns of the frames to skip: first patterns of objects, then of function names.  The function names are
 * needed for statically linked programs, and for library code that headers compile into the user's objects.
 */
static const char *const defaults[] = {
	"libc.so*", "libc-[0-9]*.so", "libc.musl*", "ld-linux*", "ld-musl*", "ld-[0-9]*.so", "ld.so*", "ld64.so*",
	"libpthread*", "librt[-.]*",
	"libdl[-.]*", "libstdc++*", "libc++.so*", "libc++abi*", "libgcc_s*", "libjemalloc*", "libtcmalloc*",
	"libmimalloc*", "libhotdrift-*",
	"[[]vdso]", "linux-vdso*",
	"malloc", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc", "posix_memalign", "valloc",
	"pvalloc", "free", "_int_malloc",
	"_int_realloc", "_int_free", "sysmalloc", "malloc_consolidate", "__libc_*", "__GI_*", "strdup", "strndup",
	"__strdup", "__strndup",
	"operator new", "operator new[[]]", "operator delete", "operator delete[[]]", "__cxxabiv1::*",
	"__rust_*", "__rdl_*", "__rg_*", "runtime.*", "sync.*", "syscall.*", "internal/?*",
	"pthread_*", "__pthread_*", "___pthread_*", "__lll_*", "__futex_*", "futex_*", "__new_sem_*", "sem_*",
	"syscall", "nanosleep", "usleep",
	"__nanosleep*", "clock_nanosleep", "__clock_nanosleep*", "_dl_*", "_start", "_init", "start_thread", "clone",
	"clone3", "__clone*",
};

/* Patterns of libraries whose templates are compiled for the user's types, into the user's objects. */
static const char *const templates[] = { "std::*", "__gnu_cxx::*" };

/*
 * Like templates[], but for Rust symbols only, because C++ programs can use these names for their own functions.
 */
static const char *const rust[] = { "alloc::*", "core::*", "<alloc::*", "<core::*", "<std::*", "hashbrown::*",
	"<hashbrown::*", "parking_lot*", "lock_api::*" };

/*
 * Functions that only call the user's function or lambda, which compilers usually inline into them.  They are never
 * skipped by default: if the callable was inlined, they are the first frame of the user's code.  If it was not, its own
 * frame is nearer to the cost.  The rows are those of libstdc++, libc++ and Rust.
 */
static const char *const wrappers[] = {
	"std::thread::_State_impl<*>::_M_run", "std::thread::_Invoker<*", "std::_Function_handler<*>::_M_invoke",
	"std::__future_base::_*>::_M_run*", "std::__future_base::_Task_setter<*", "std::_Bind*<*", "std::_Mem_fn*",
	"std::__invoke*", "std::invoke*", "std::call_once<*", "std::once_flag::_Prepare_execution*",
	"std::__detail::__variant::*::__visit_invoke*",
	"std::__[1nC]*::__thread_proxy*", "std::__[1nC]*::__function::*::operator()*",
	"std::__[1nC]*::__call_once_proxy*", "std::__[1nC]*::__async_*>::__execute", "std::__[1nC]*::__bind*<*",
	"std::__[1nC]*::__invoke*", "std::__[1nC]*::invoke*",
	"std::sys*::backtrace::__rust_begin_short_backtrace*",
};

static bool matches(const char *pattern, const char *text)
{
	return hd_glob(pattern, strlen(pattern), text, strlen(text));
}

static bool is_rust(const char *linkage)
{
	return !strncmp(linkage, "_R", 2) ||
		matches("_ZN*17h[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*E", linkage);
}

static bool matches_any(const char *pattern, const struct hd_skip_rules_names *t)
{
	return matches(pattern, t->name) || matches(pattern, t->linkage) || matches(pattern, t->object);
}

/* Return true if a row of a table of n patterns matches this name. */
static bool is_in(const char *const *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (matches(table[i], name))
			return true;
	return false;
}

/* Return true if the default patterns skip a function with these names. */
static bool is_skipped_by_default(const struct hd_skip_rules_names *t)
{
	if (is_in(wrappers, HD_COUNT(wrappers), t->name))
		return false;
	for (size_t i = 0; i < HD_COUNT(defaults); i++)
		if (matches_any(defaults[i], t))
			return true;
	return !t->own_cost && (is_in(templates, HD_COUNT(templates), t->name) ||
		(is_rust(t->linkage) && is_in(rust, HD_COUNT(rust), t->name)));
}

bool hd_skip_rules_match(const struct hd_skip_rules *k, const struct hd_skip_rules_names *t)
{
	bool skipped;

	if (!k->on)
		return false;
	skipped = t->kernel || is_skipped_by_default(t);
	for (size_t i = 0; i < k->patterns.n; i++)
		if (k->patterns.items[i][0] != '!')
			skipped = skipped || matches_any(k->patterns.items[i], t);
		else if (matches_any(k->patterns.items[i] + 1, t))
			return false;
	return skipped;
}

static bool is_plumbing(const struct hd_skip_rules *k, const struct hd_profile_symbol *s)
{
	const char *path = hd_profile_str(k->p, k->p->objects[s->object].name), *slash = strrchr(path, '/');
	struct hd_skip_rules_names t = { "", "", slash ? slash + 1 : path, s->kernel, false };

	if (!s->unresolved) {
		t.name = hd_profile_str(k->p, s->name);
		t.linkage = hd_profile_str(k->p, s->linkage);
	}
	return hd_skip_rules_match(k, &t);
}

static bool is_skipped(struct hd_skip_rules *k, hd_frame_id f)
{
	uint32_t symbol = k->p->frames[f.v].symbol;

	if (symbol >= k->n) {
		size_t had = k->n;

		HD_GROW(k->of_symbol, symbol + 1, k->n);
		memset(k->of_symbol + had, UNKNOWN, k->n - had);
	}
	if (k->of_symbol[symbol] == UNKNOWN)
		k->of_symbol[symbol] = is_plumbing(k, &k->p->symbols[symbol]) ? SKIPPED : KEPT;
	return k->of_symbol[symbol] == SKIPPED;
}

void hd_skip_rules_init(struct hd_skip_rules *k, struct hd_profile *p, const char *rules, bool by_default)
{
	*k = (struct hd_skip_rules){ .p = p, .on = rules ? strcmp(rules, "none") != 0 : by_default };
	if (k->on && rules && strcmp(rules, "default"))
		k->text = hd_stack_class_split(&k->patterns, rules);
	if (p)
		p->recording.skips = k->on;
}

void hd_skip_rules_release(struct hd_skip_rules *k)
{
	free(k->patterns.items);
	free(k->text);
	free(k->of_symbol);
	*k = (struct hd_skip_rules){ 0 };
}

void hd_skip_rules_apply(struct hd_skip_rules *k, struct hd_sample_row *row)
{
	hd_frame_id inner = { 0 };

	if (!k->on || !is_skipped(k, row->self))
		return;
	for (hd_stack_id s = row->stack; s.v; s = hd_stacks_caller(k->p->stacks, s)) {
		hd_frame_id f = hd_stacks_frame(k->p->stacks, s);
		bool skipped = is_skipped(k, f);

		if (k->p->frames[f.v].inlined) {
			if (!skipped && !inner.v)
				inner = f;
			continue;
		}
		if (!skipped) {
			row->self = f;
			row->inner = inner.v ? inner : f;
			return;
		}
		inner.v = 0;		/* `inner` was inlined into a skipped function, so it is skipped, too */
	}
}
