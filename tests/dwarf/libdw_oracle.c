/*
 * libdw_oracle.c - compare the DWARF reader of dwarf/ with libdw of elfutils
 *
 *     libdw_oracle FILE N           look up N addresses with both; print the number of differences and the first ones
 *     libdw_oracle FILE N ours      look them up with dwarf/ only; print the CPU time and the peak memory
 *     libdw_oracle FILE N libdw     the same with libdw only
 *
 * The addresses are spread over the executable sections by a generator with a fixed seed.  For each address both
 * readers look up file and line, and the chain of inlined functions with names and lines of the calls.
 *
 * Exit: 0 without differences, 1 with differences, 2 usage or an unreadable file, 3 no debug information.
 */
#include "base/mem.h"
#include "dwarf/inlines.h"
#include "dwarf/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SHOWN = 5 };		/* differences that are printed */

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

/* An inlined function and the line of its call. */
struct call {
	const char *name;
	unsigned line;
	bool qualified;		/* the name is not a linkage name; its scopes are in front of it */
};

/* Strings are borrowed from the reader. */
struct result {
	const char *file;
	unsigned line;
	struct call calls[HD_INLINE_MAX];	/* innermost first */
	size_t n;
};

static void print(const char *reader, const struct result *r)
{
	printf("    %-7s %s:%u", reader, r->file, r->line);
	for (size_t i = 0; i < r->n; i++)
		printf(" < %s@%u", r->calls[i].name, r->calls[i].line);
	printf("\n");
}

/* Return true if the names agree.  libdw has no qualified names, so only the end of one is compared. */
static bool same_name(const struct call *a, const struct call *b)
{
	size_t na = strlen(a->name), nb = strlen(b->name);

	if (!a->qualified || na <= nb)
		return !strcmp(a->name, b->name);
	return na > nb + 2 && !strcmp(a->name + na - nb, b->name) && !strncmp(a->name + na - nb - 2, "::", 2);
}

static bool same_chain(const struct result *a, const struct result *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->calls[i].line != b->calls[i].line || !same_name(&a->calls[i], &b->calls[i]))
			return false;
	return true;
}

/* ---- dwarf/ ---- */

struct ours {
	struct hd_log log;
	struct hd_dwarf_source src;
	struct hd_lines *lines;
	struct hd_inlines *inlines;
};

static bool ours_open(struct ours *o, const char *path)
{
	struct hd_err err;
	int fd = hd_file_ref_open(&o->src.debug, NULL, path, &o->log, &err);

	if (fd < 0)
		return false;
	close(fd);
	close(hd_file_ref_open(&o->src.code, NULL, path, &o->log, &err));
	o->src.path = path;
	o->src.log = &o->log;
	o->lines = hd_lines_open(&o->src);
	o->inlines = hd_inlines_open(o->lines, &o->src);
	return true;
}

static void ours_close(struct ours *o)
{
	hd_inlines_free(o->inlines);
	hd_lines_free(o->lines);
	hd_file_ref_release(&o->src.code);
	hd_file_ref_release(&o->src.debug);
	hd_log_release(&o->log);
}

static void ours_look_up(struct ours *o, uint64_t addr, struct result *r)
{
	static struct hd_inline_hit hits[HD_INLINE_MAX];
	struct hd_line_hit line = { 0 };

	hd_lines_find(o->lines, addr, &line);
	r->file = line.file ? base_name(line.file) : "?";
	r->line = line.file ? line.line : 0;
	r->n = hd_inlines_find(o->inlines, addr, hits, HD_INLINE_MAX);
	for (size_t i = 0; i < r->n; i++)
		r->calls[i] = (struct call){ hits[i].linkage, hits[i].call_line, !hits[i].mangled };
}

/* ---- libdw ---- */

/* An address range of a function. */
struct function { Dwarf_Addr low, high; Dwarf_Die die; };

/* An address range of a unit, and the functions of that unit once one was looked up. */
struct unit {
	Dwarf_Addr low, high;
	Dwarf_Die cu, entries;		/* entries: of the split-off unit, if there is one */
	struct function *functions;	/* sorted by low */
	size_t n, cap;
	bool listed;
};

struct theirs {
	Dwarf *dbg;
	struct unit *units;
	size_t n, cap;
};

/* Both structs start with `low`. */
static int by_low(const void *va, const void *vb)
{
	Dwarf_Addr a = *(const Dwarf_Addr *)va, b = *(const Dwarf_Addr *)vb;

	return (a > b) - (a < b);
}

/*
 * Index the units by the ranges of their entries, because .debug_aranges is absent or incomplete in many files.
 * Returns false if libdw cannot read the file.
 */
static bool theirs_open(struct theirs *t, int fd)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, sub;
	uint8_t type;

	t->dbg = dwarf_begin(fd, DWARF_C_READ);
	if (!t->dbg)
		return false;
	while (dwarf_get_units(t->dbg, cu, &cu, NULL, &type, &die, &sub) == 0) {
		Dwarf_Addr low, high, base;
		ptrdiff_t off = 0;

		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		while ((off = dwarf_ranges(&die, off, &base, &low, &high)) > 0) {
			if (low >= high)
				continue;
			HD_GROW(t->units, t->n + 1, t->cap);
			t->units[t->n++] = (struct unit){
				.low = low, .high = high, .cu = die,
				.entries = type == DW_UT_skeleton && sub.addr ? sub : die,
			};
		}
	}
	if (t->n)
		qsort(t->units, t->n, sizeof(*t->units), by_low);
	return true;
}

static void theirs_close(struct theirs *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->units[i].functions);
	free(t->units);
	dwarf_end(t->dbg);
}

static struct unit *unit_of(struct theirs *t, uint64_t addr)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->units[mid].low <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < t->units[lo - 1].high ? &t->units[lo - 1] : NULL;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) || dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		name = dwarf_formstring(&a);
	return name ? name : dwarf_diename(die);
}

/* Return true if entries of this tag can contain functions. */
static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
		tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_subprogram ||
		tag == DW_TAG_lexical_block;
}

static void list_functions(struct unit *u, Dwarf_Die *die)
{
	Dwarf_Die child;

	for (int more = dwarf_child(die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
		Dwarf_Addr low, high, base;
		ptrdiff_t off = 0;

		while (dwarf_tag(&child) == DW_TAG_subprogram &&
			(off = dwarf_ranges(&child, off, &base, &low, &high)) > 0) {
			if (low >= high)
				continue;
			HD_GROW(u->functions, u->n + 1, u->cap);
			u->functions[u->n++] = (struct function){ low, high, child };
		}
		if (is_scope(dwarf_tag(&child)))
			list_functions(u, &child);
	}
}

/*
 * Return the function at addr, or NULL.  The first lookup in a unit lists its functions, because libdw has no index of
 * them.
 */
static struct function *function_of(struct unit *u, uint64_t addr)
{
	size_t lo = 0, hi;

	if (!u->listed) {
		list_functions(u, &u->entries);
		if (u->n)
			qsort(u->functions, u->n, sizeof(*u->functions), by_low);
	}
	u->listed = true;
	for (hi = u->n; lo < hi; ) {
		size_t mid = lo + (hi - lo) / 2;

		if (u->functions[mid].low <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr < u->functions[lo - 1].high ? &u->functions[lo - 1] : NULL;
}

/*
 * Add the inlined functions at `addr` inside `die`, outermost first.  (dwarf_getscopes() continues at the definition of
 * an inlined function instead of its call.)
 */
static void add_inlined(Dwarf_Die *die, uint64_t addr, struct result *r)
{
	Dwarf_Die child;
	Dwarf_Attribute a;

	for (int more = dwarf_child(die, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		Dwarf_Word line = 0;
		const char *name;

		if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) || dwarf_haspc(&child, addr) <= 0)
			continue;
		if (tag == DW_TAG_inlined_subroutine && r->n < HD_INLINE_MAX) {
			if (dwarf_attr(&child, DW_AT_call_line, &a))
				dwarf_formudata(&a, &line);
			name = name_of(&child);
			r->calls[r->n++] = (struct call){ name ? name : "?", (unsigned)line, false };
		}
		add_inlined(&child, addr, r);
		return;
	}
}

static void theirs_look_up(struct theirs *t, uint64_t addr, struct result *r)
{
	struct unit *u = unit_of(t, addr);
	Dwarf_Line *line = u ? dwarf_getsrc_die(&u->cu, addr) : NULL;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	struct function *fn = u ? function_of(u, addr) : NULL;
	int no = 0;

	if (line)
		dwarf_lineno(line, &no);
	r->file = file ? base_name(file) : "?";
	r->line = file ? (unsigned)no : 0;
	r->n = 0;
	if (fn)
		add_inlined(&fn->die, addr, r);
	for (size_t i = 0; i < r->n / 2; i++) {
		struct call c = r->calls[i];

		r->calls[i] = r->calls[r->n - 1 - i];
		r->calls[r->n - 1 - i] = c;
	}
}

/* ---- addresses ---- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Store n random addresses in the executable sections in addrs.  Returns false if there are no such sections. */
static bool choose(const char *path, uint64_t *addrs, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct hd_elf *e = NULL;
	uint64_t state = 20261123, total = 0;

	if (fd < 0 || hd_elf_open(&e, fd, path, NULL, NULL) < 0)
		return false;
	for (size_t i = 0; i < e->nsections; i++)
		if (e->sections[i].flags & SHF_EXECINSTR)
			total += e->sections[i].size;
	for (size_t k = 0; total && k < n; k++) {
		uint64_t at = next_random(&state) % total;

		for (size_t i = 0; i < e->nsections; i++) {
			const struct hd_elf_section *s = &e->sections[i];

			if (!(s->flags & SHF_EXECINSTR))
				continue;
			if (at < s->size) {
				addrs[k] = s->addr + at;
				break;
			}
			at -= s->size;
		}
	}
	hd_elf_close(e);
	return total;
}

/* ---- runs ---- */

/* Return the CPU time, which does not depend on other load. */
static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void measure(struct ours *o, struct theirs *t, const uint64_t *addrs, size_t n, const char *name, double start)
{
	static struct result r;
	size_t lines = 0, calls = 0;
	struct rusage used;

	for (size_t i = 0; i < n; i++) {
		if (o)
			ours_look_up(o, addrs[i], &r);
		else
			theirs_look_up(t, addrs[i], &r);
		lines += r.line != 0;
		calls += r.n;
	}
	getrusage(RUSAGE_SELF, &used);
	printf("%-7s %zu addresses, %zu lines, %zu inlined calls: %.3f s, %.1f MiB\n", name, n, lines, calls,
		cpu_seconds() - start, (double)used.ru_maxrss / 1024);
}

static int compare(struct ours *o, struct theirs *t, const char *path, const uint64_t *addrs, size_t n)
{
	static struct result a, b;
	size_t with_line = 0, with_inlines = 0, lines = 0, chains = 0;

	for (size_t i = 0; i < n; i++) {
		bool line_differs, chain_differs;

		ours_look_up(o, addrs[i], &a);
		theirs_look_up(t, addrs[i], &b);
		line_differs = a.line != b.line || strcmp(a.file, b.file) != 0;
		chain_differs = !same_chain(&a, &b);
		with_line += a.line != 0;
		with_inlines += a.n != 0;
		if ((line_differs || chain_differs) && lines + chains < SHOWN) {
			printf("%s: 0x%" PRIx64 "\n", path, addrs[i]);
			print("dwarf/", &a);
			print("libdw", &b);
		}
		lines += line_differs;
		chains += chain_differs;
	}
	printf("%s: %zu addresses, %zu with a line, %zu in inlined functions; %zu lines and %zu chains differ\n",
		path, n,
		with_line, with_inlines, lines, chains);
	return lines || chains ? 1 : with_line ? 0 : 3;
}

int main(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	const char *only = argc > 3 ? argv[3] : "";
	uint64_t *addrs = hd_new_array(uint64_t, n + 1);
	struct ours o = { 0 };
	struct theirs t = { 0 };
	int fd, rc = 0;
	double start;

	if (!n || !choose(argv[1], addrs, n)) {
		fprintf(stderr, "usage: libdw_oracle FILE N [ours|libdw]\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	start = cpu_seconds();
	if (strcmp(only, "libdw") && !ours_open(&o, argv[1]))
		return 2;
	if (strcmp(only, "ours") && !theirs_open(&t, fd))
		return 3;
	if (!strcmp(only, "ours"))
		measure(&o, NULL, addrs, n, "dwarf/", start);
	else if (!strcmp(only, "libdw"))
		measure(NULL, &t, addrs, n, "libdw", start);
	else
		rc = compare(&o, &t, argv[1], addrs, n);
	if (o.lines)
		ours_close(&o);
	if (t.dbg)
		theirs_close(&t);
	close(fd);
	free(addrs);
	return rc;
}
