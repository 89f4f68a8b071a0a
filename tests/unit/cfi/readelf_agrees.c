/*
 * readelf_agrees.c - compare every row of every function with readelf
 *
 * `readelf --debug-dump=frames-interp` interprets call frame information independently of our
 * code.  For each of its rows, the first and the last byte are looked up: the range of the
 * function, the compact row, and all rules.
 *
 * The files are this program and the libraries that it is linked with, the libcs of other architectures
 * if Debian's libc6-*-cross packages are installed, and the files in HD_CFI_OBJECTS (separated by
 * colons).  HD_CFI_VERBOSE=1 prints counts.
 */
#include "elf_object.h"

#include <ctype.h>
#include <inttypes.h>
#include <link.h>

enum { COLUMNS = 100, LINE = 8192 };

/* One table of readelf: the register of each column, and the current row. */
struct theirs {
	enum hd_cfi_machine machine;
	uint8_t ra;			/* DWARF number of the return address column of the CIE */
	unsigned int ncols;
	int reg[COLUMNS];		/* DWARF number of each column's register; -1: the register is not tracked */
	uint64_t lo, hi;		/* range of the FDE */
	uint64_t from;			/* the current row, which ends where the next one begins */
	char cells[COLUMNS][32];	/* the text of the CFA, then of each column */
	bool have;
};

struct count {
	size_t functions, rows, full, differences, overlapped;
};

static const char *const x86_64_names[] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	"rip",
};
static const char *const i386_names[] = { "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip" };

/* Return the DWARF number of a register's name; -1 for registers that are not tracked. */
static int number_of(const struct theirs *t, const char *name, size_t len)
{
	const char *const *names = t->machine == HD_CFI_X86_64 ? x86_64_names : i386_names;
	unsigned int n = t->machine == HD_CFI_X86_64 ? 17 : 9;
	char *end;

	if (len == 2 && !strncmp(name, "ra", 2))
		return t->ra;
	if (t->machine == HD_CFI_AARCH64 || t->machine == HD_CFI_ARM) {
		if (len == 2 && !strncmp(name, "sp", 2))
			return t->machine == HD_CFI_ARM ? 13 : 31;
		if (len == 2 && !strncmp(name, "lr", 2))
			return 14;
		if (len == 2 && !strncmp(name, "pc", 2))
			return t->machine == HD_CFI_ARM ? 15 : 32;
		if ((name[0] == 'x' || name[0] == 'r') && isdigit((unsigned char)name[1])) {
			long v = strtol(name + 1, &end, 10);

			return end == name + len && v < hd_cfi_abi(t->machine)->nregs ? (int)v : -1;
		}
		return -1;
	}
	for (unsigned int i = 0; i < n; i++)
		if (strlen(names[i]) == len && !strncmp(name, names[i], len))
			return (int)i;
	return -1;
}

/* Format our rule as a cell of readelf, which prints "u" for undefined and for unmentioned registers. */
static void cell_of(const struct hd_cfi_rule *rule, char *out, size_t size)
{
	static const char *const text[] = {
		[HD_RULE_SAME] = "u", [HD_RULE_UNDEFINED] = "u", [HD_RULE_EXPR] = "exp", [HD_RULE_VAL_EXPR] = "vexp",
	};

	switch (rule->kind) {
	case HD_RULE_OFFSET:
		snprintf(out, size, "c%+" PRId64, rule->off);
		break;
	case HD_RULE_VAL_OFFSET:
		snprintf(out, size, "v%+" PRId64, rule->off);
		break;
	case HD_RULE_REGISTER:
		snprintf(out, size, "r%d", rule->reg);
		break;
	default:
		snprintf(out, size, "%s", text[rule->kind]);
	}
}

static bool complain(const struct theirs *t, uint64_t at, const char *what, const char *ours, const char *cell)
{
	print_message("0x%" PRIx64 " (row from 0x%" PRIx64 ", function 0x%" PRIx64 "): %s: we say %s, readelf %s\n", at,
		t->from, t->lo, what, ours, cell);
	return false;
}

/* Return true if all rules of the address agree with the cells. */
static bool rules_agree(struct hd_cfi *c, const struct theirs *t, uint64_t at)
{
	const struct hd_cfi_abi *abi = hd_cfi_abi(t->machine);
	struct hd_cfi_rules rules;
	uint64_t mentioned = 0;
	char ours[40];

	if (!hd_cfi_rules(c, at, &rules))
		return complain(t, at, "rules", "none", t->cells[0]);
	if (rules.ra != t->ra)
		return complain(t, at, "return address column", "another", "its own");
	if (rules.cfa.kind == HD_RULE_VAL_EXPR) {
		if (strcmp(t->cells[0], "exp"))
			return complain(t, at, "CFA", "exp", t->cells[0]);
	} else {
		const char *sign = strpbrk(t->cells[0], "+-");
		int reg = sign ? number_of(t, t->cells[0], (size_t)(sign - t->cells[0])) : -1;

		snprintf(ours, sizeof(ours), "r%d%+" PRId64, rules.cfa.reg, rules.cfa.off);
		if (reg != rules.cfa.reg || strtoll(sign, NULL, 10) != rules.cfa.off)
			return complain(t, at, "CFA", ours, t->cells[0]);
	}
	for (unsigned int i = 0; i < t->ncols; i++) {
		const char *cell = t->cells[i + 1];

		if (t->reg[i] < 0)
			continue;
		mentioned |= UINT64_C(1) << t->reg[i];
		cell_of(&rules.reg[t->reg[i]], ours, sizeof(ours));
		if (t->reg[i] == abi->sp && !strcmp(cell, "u") && !strcmp(ours, "v+0"))
			continue;
		/* readelf distinguishes "same value" from an unmentioned register; the meaning is the same */
		if (!strcmp(cell, "s"))
			cell = "u";
		if (strcmp(ours, cell))
			return complain(t, at, "rule", ours, cell);
	}
	for (unsigned int reg = 0; reg < abi->nregs; reg++)
		if (!(mentioned >> reg & 1) && reg != abi->sp && rules.reg[reg].kind != HD_RULE_SAME)
			return complain(t, at, "a register", "a rule", "nothing");
	return true;
}

/* Return true if the compact row agrees with the rules.  A row with full rules must have a reason. */
static bool row_agrees(const struct hd_cfi_abi *abi, const struct hd_cfi_row *row, const struct hd_cfi_rules *r)
{
	const struct hd_cfi_rule *fp = &r->reg[abi->fp], *ra = &r->reg[r->ra], *sp = &r->reg[abi->sp];
	bool on_cfa = r->cfa.kind == HD_RULE_REGISTER && (r->cfa.reg == abi->sp || r->cfa.reg == abi->fp);
	bool fp_fits = fp->kind == HD_RULE_SAME || fp->kind == HD_RULE_UNDEFINED ||
		(fp->kind == HD_RULE_OFFSET && fp->off == (int16_t)fp->off);
	bool ra_fits = ra->kind == HD_RULE_SAME ? r->ra == abi->ra && (abi->ra == 30 || abi->ra == 14) :
		       ra->kind == HD_RULE_UNDEFINED || (ra->kind == HD_RULE_OFFSET && ra->off == (int16_t)ra->off);
	static const uint8_t where[] = {
		[HD_RULE_SAME] = HD_CFI_SAME, [HD_RULE_UNDEFINED] = HD_CFI_UNDEFINED, [HD_RULE_OFFSET] = HD_CFI_AT_CFA,
	};

	if (row->flags != r->flags)
		return false;
	if (!on_cfa || !fp_fits || !ra_fits || sp->kind != HD_RULE_VAL_OFFSET || sp->off)
		return row->cfa == HD_CFI_FULL;
	return row->cfa == (r->cfa.reg == abi->sp ? HD_CFI_SP : HD_CFI_FP) && row->cfa_off == r->cfa.off &&
		row->fp == where[fp->kind] && row->fp_off == fp->off && row->ra == where[ra->kind] &&
		row->ra_off == ra->off;
}

/* Compare the current row, which holds in [from, to). */
static void compare_row(struct hd_cfi *c, const struct theirs *t, uint64_t to, struct count *n)
{
	const uint64_t ask[2] = { t->from, to - 1 };

	if (t->from >= to || t->from < t->lo || to > t->hi)
		return;
	n->rows++;
	for (int i = 0; i < 2; i++) {
		const struct hd_cfi_fn *fn = hd_cfi_function(c, ask[i]);
		const struct hd_cfi_row *row;
		struct hd_cfi_rules rules;
		bool fine = false;

		if (fn && (fn->lo != t->lo || fn->hi != t->hi)) {
			n->overlapped++;
			return;
		}
		row = fn ? hd_cfi_row(fn, ask[i]) : NULL;
		if (!row)
			complain(t, ask[i], "row", "none", t->cells[0]);
		else if (rules_agree(c, t, ask[i])) {
			hd_cfi_rules(c, ask[i], &rules);
			fine = row_agrees(hd_cfi_abi(t->machine), row, &rules);
			if (!fine)
				complain(t, ask[i], "compact row", "otherwise", t->cells[0]);
		}
		if (i == 0 && row)
			n->full += row->cfa == HD_CFI_FULL;
		if (!fine) {
			n->differences++;
			return;
		}
	}
}

/*
 * Parse the cells of a line such as "0000000000001020 rsp+16 c-16 r3 (rbx) c-8".  A name in parentheses is skipped.
 * Returns false if there is not one cell for the CFA and one for each column.
 */
static bool read_cells(struct theirs *t, char *line)
{
	unsigned int n = 0;
	char *save, *word = strtok_r(line, " \n", &save);

	if (!word)
		return false;
	t->from = strtoull(word, NULL, 16);
	while ((word = strtok_r(NULL, " \n", &save)) && n < COLUMNS)
		if (word[0] != '(')
			snprintf(t->cells[n++], sizeof(t->cells[0]), "%.31s", word);
	return n == t->ncols + 1;
}

static void read_columns(struct theirs *t, char *line)
{
	char *save, *word = strtok_r(line, " \n", &save);	/* LOC */

	t->ncols = 0;
	word = strtok_r(NULL, " \n", &save);			/* CFA */
	while (word && (word = strtok_r(NULL, " \n", &save)) && t->ncols < COLUMNS - 1)
		t->reg[t->ncols++] = number_of(t, word, strlen(word));
}

struct known_cie {
	char off[24];
	struct theirs table;		/* the row of the CIE; an FDE without instructions has only this row */
};

/* Compare a file with readelf's output for it.  Returns false if the file cannot be read or has no CFI. */
static bool compare_file(const char *path, struct count *n)
{
	static struct known_cie cies[4096];
	struct theirs t = { 0 };
	struct heap heap = { .left = SIZE_MAX };
	struct hd_cfi_allocator mem = { heap_take, &heap };
	struct known_cie *cie = NULL;
	char line[LINE], cmd[4096], off[24], from_cie[24];
	bool in_fde = false;
	struct object o;
	struct hd_cfi *c;
	size_t ncies = 0;
	FILE *pipe;

	if (strchr(path, '\'') || !object_open(&o, path))
		return false;
	t.machine = o.in.machine;
	if (hd_cfi_open(&c, &o.in, &mem, NULL) <= 0) {
		object_close(&o);
		heap_release(&heap);
		return false;
	}
	snprintf(cmd, sizeof(cmd), "readelf --debug-dump=frames-interp '%s' 2>/dev/null", path);
	pipe = popen(cmd, "r");
	EXPECT(pipe != NULL);
	while (fgets(line, sizeof(line), pipe)) {
		const char *at;

		if ((at = strstr(line, " CIE ")) || strstr(line, " FDE ") || !strncmp(line, "Contents", 8)) {
			if (in_fde)
				compare_row(c, &t, t.hi, n);
			in_fde = false;
		}
		if (!strncmp(line, "Contents", 8)) {
			ncies = 0;
		} else if (at && (at = strstr(line, "ra=")) && sscanf(line, "%23s", off) == 1) {
			cie = ncies < 4096 ? &cies[ncies++] : &cies[4095];
			snprintf(cie->off, sizeof(cie->off), "%s", off);
			t.ra = (uint8_t)atoi(at + 3);
			t.ncols = 0;
			cie->table = t;
		} else if ((at = strstr(line, "FDE cie="))) {
			EXPECT(sscanf(at, "FDE cie=%23s pc=%" SCNx64 "..%" SCNx64, from_cie, &t.lo, &t.hi) == 3);
			for (size_t i = 0; i < ncies; i++)
				if (!strcmp(cies[i].off, from_cie)) {
					uint64_t lo = t.lo, hi = t.hi;

					t = cies[i].table;
					t.lo = lo;
					t.hi = hi;
					t.from = lo;
				}
			in_fde = t.lo < t.hi;
			t.have = false;
			cie = NULL;
			n->functions++;
		} else if (!strncmp(line, "   LOC", 6)) {
			read_columns(&t, line);
		} else if (isxdigit((unsigned char)line[0]) && !strstr(line, "ZERO terminator")) {
			struct theirs was = t;

			EXPECT(read_cells(&t, line));
			if (cie) {
				cie->table = t;
			} else if (in_fde) {
				if (was.have)
					compare_row(c, &was, t.from, n);
				t.have = true;
			}
		}
	}
	if (in_fde)
		compare_row(c, &t, t.hi, n);
	pclose(pipe);
	object_close(&o);
	heap_release(&heap);
	return true;
}

/* Compare a file and add the counts to *total; with HD_CFI_VERBOSE in the environment, print them. */
static void compare(const char *path, struct count *total)
{
	struct count n = { 0 };

	if (!compare_file(path, &n))
		return;
	if (getenv("HD_CFI_VERBOSE"))
		print_message(
			"%s: %zu functions, %zu rows, %zu of them full, %zu overlapped by another function, %zu "
			"differences\n",
			path, n.functions, n.rows, n.full, n.overlapped, n.differences);
	total->functions += n.functions;
	total->rows += n.rows;
	total->differences += n.differences;
	total->overlapped += n.overlapped;
}

static int have_readelf(void)
{
	return system("readelf --version >/dev/null 2>&1") == 0;
}

static int on_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	if (info->dlpi_name[0] == '/')
		compare(info->dlpi_name, ctx);
	return 0;
}

TEST(each_row_of_this_program_and_its_libraries_is_readelfs)
{
	struct count total = { 0 };
	char self[4096] = "";

	if (!have_readelf())
		SKIP("no readelf (binutils)");
	EXPECT(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	compare(self, &total);
	dl_iterate_phdr(on_object, &total);
	EXPECT(total.functions > 1000 && total.rows > 10000);
	EXPECT_INT(total.differences, 0);
	EXPECT(total.overlapped * 1000 < total.rows);
}

TEST(each_row_of_other_machines_libcs_is_readelfs)
{
	static const char *const libs[] = {
		"/usr/aarch64-linux-gnu/lib/libc.so.6", "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
		"/usr/i686-linux-gnu/lib/libc.so.6", "/usr/i686-linux-gnu/lib/ld-linux.so.2",
		"/usr/arm-linux-gnueabihf/lib/libc.so.6",
	};
	struct count total = { 0 };

	if (!have_readelf())
		SKIP("no readelf (binutils)");
	for (size_t i = 0; i < sizeof(libs) / sizeof(libs[0]); i++)
		compare(libs[i], &total);
	if (!total.rows)
		SKIP("no libc6-arm64-cross, no libc6-i386-cross");
	EXPECT_INT(total.differences, 0);
	EXPECT(total.overlapped * 1000 < total.rows);
}

TEST(each_row_of_the_given_files_equals_that_of_readelf)
{
	const char *list = getenv("HD_CFI_OBJECTS");
	struct count total = { 0 };
	char *copy, *save, *path;

	if (!list || !*list)
		SKIP("HD_CFI_OBJECTS names no file");
	if (!have_readelf())
		SKIP("no readelf (binutils)");
	copy = strdup(list);
	for (path = strtok_r(copy, ":", &save); path; path = strtok_r(NULL, ":", &save))
		compare(path, &total);
	free(copy);
	EXPECT(total.rows > 0);
	EXPECT_INT(total.differences, 0);
	EXPECT(total.overlapped * 1000 < total.rows);
}

TEST_MAIN(RUN(each_row_of_this_program_and_its_libraries_is_readelfs),
	  RUN(each_row_of_other_machines_libcs_is_readelfs),
	  RUN(each_row_of_the_given_files_equals_that_of_readelf))
