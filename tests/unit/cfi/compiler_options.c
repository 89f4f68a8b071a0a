/*
 * compiler_options.c - compare the rows of one program that is built with different options
 *
 * Options that move the call frame information to other sections must not change the rows; frame pointers must.  The
 * tests are skipped if the compiler ($CC) or binutils are missing.
 */
#include "elf_object.h"

#include <inttypes.h>
#include <limits.h>
#include <sys/wait.h>

static const char source[] =
	"void use(void *);\n"
	"int leaf(int a) { return a * 3; }\n"
	"int calls(int a) { use(&a); return a; }\n"
	"int sized(int n) { char b[n]; use(b); return b[0]; }\n"		/* the array needs a frame pointer */
	"int large(int n) { char b[40000]; use(b); return b[n]; }\n"
	"long many(long a, long b, long c, long d, long e, long f)\n"
	"{ use(&a); use(&b); use(&c); use(&d); use(&e); use(&f); return a + b + c + d + e + f + leaf((int)a); }\n"
	"int two_ends(int a) { if (a > 5) { use(&a); use(&a); return a; } return calls(a) + calls(a + 1); }\n";

enum { AT = 0x10000, REACH = 0x4000 };

static char folder[PATH_MAX];

static int open_folder(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof(folder), "%s/hd-cfi.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	setenv("CC", getenv("CC") && *getenv("CC") ? getenv("CC") : "cc", 1);
	return 0;
}

static int close_folder(void **state)
{
	char cmd[PATH_MAX + 32];

	(void)state;
	snprintf(cmd, sizeof(cmd), "cd / && rm -rf '%s'", folder);
	return system(cmd) ? -1 : 0;
}

static bool sh(const char *cmd)
{
	return system(cmd) == 0;
}

/*
 * Build the source with these options into `out`, with its code at AT.  Returns false if that is
 * not possible here.
 */
static bool build(const char *options, const char *link, const char *out)
{
	FILE *f = fopen("s.c", "w");
	char cmd[512];

	if (!f)
		return false;
	fwrite(source, 1, sizeof(source) - 1, f);
	fclose(f);
	snprintf(cmd, sizeof(cmd),
		"$CC -O2 -fno-inline -fPIC -fno-stack-protector -fcf-protection=none %s -c s.c -o s.o 2>/dev/null && "
		"$CC -nostdlib -shared -Wl,-Ttext=%#x %s s.o -o %s 2>/dev/null",
		options, AT, link, out);
	return sh(cmd);
}

/*
 * Return one line per row of each function from AT on; the caller frees the text.  *by_hdr (unless NULL) receives
 * whether .eh_frame_hdr was used.
 */
static char *rows_of(const char *path, bool *by_hdr)
{
	const struct hd_cfi_fn *last = NULL, *fn;
	struct object obj;
	struct opened o;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	EXPECT(f != NULL);
	EXPECT(object_open(&obj, path));
	open_in(&o, &obj.in);
	EXPECT_INT(o.rc, 1);
	EXPECT_INT(o.stats.skipped, 0);
	EXPECT(!o.stats.damage);
	if (by_hdr)
		*by_hdr = o.stats.by_hdr;
	for (uint64_t at = AT; at < AT + REACH; at++) {
		fn = hd_cfi_function(o.c, at);
		if (!fn || fn == last)
			continue;
		EXPECT(!fn->damaged);
		for (uint32_t i = 0; i < fn->nrows; i++) {
			const struct hd_cfi_row *r = &fn->rows[i];

			fprintf(f, "%" PRIx64 "+%x..%" PRIx64 ": cfa %d%+d fp %d%+d ra %d%+d flags %d\n", fn->lo, r->pc,
				fn->hi, r->cfa, r->cfa_off, r->fp, r->fp_off, r->ra, r->ra_off, r->flags);
		}
		last = fn;
	}
	fclose(f);
	release(&o);
	object_close(&obj);
	return text;
}

static unsigned int lines(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Return the rows of the usual build, which has .eh_frame_hdr; the caller frees them.  NULL: cannot be built here. */
static char *usual(void)
{
	bool by_hdr = false;
	struct object obj;
	char *rows;

	if (!build("-fasynchronous-unwind-tables", "-Wl,--eh-frame-hdr", "usual.so") || !object_open(&obj, "usual.so"))
		return NULL;
	object_close(&obj);
	rows = rows_of("usual.so", &by_hdr);
	EXPECT(by_hdr);
	EXPECT(lines(rows) > 12);
	return rows;
}

static void same_rows(const char *path, char *expected)
{
	bool by_hdr = true;
	char *rows = rows_of(path, &by_hdr);

	EXPECT(!by_hdr);
	EXPECT_STR(rows, expected);
	free(rows);
	free(expected);
}

TEST(without_eh_frame_hdr_the_rows_are_the_same)
{
	char *expected = usual();

	if (!expected || !sh("objcopy --remove-section=.eh_frame_hdr usual.so nohdr.so 2>/dev/null"))
		SKIP("no compiler, no objcopy, or another machine");
	same_rows("nohdr.so", expected);
}

TEST(with_debug_frame_alone_the_rows_are_the_same)
{
	char *expected = usual();

	if (!expected ||
		!build("-g -fno-asynchronous-unwind-tables -fno-unwind-tables", "-Wl,--no-eh-frame-hdr", "debug.so") ||
		!sh("objcopy --remove-section=.eh_frame debug.so only.so 2>/dev/null"))
		SKIP("no compiler, no objcopy, or another machine");
	same_rows("only.so", expected);
}

TEST(with_a_compressed_debug_frame_the_rows_are_the_same)
{
	char *expected = usual();

	if (!expected ||
		!build("-g -fno-asynchronous-unwind-tables -fno-unwind-tables", "-Wl,--no-eh-frame-hdr", "debug.so") ||
		!sh("objcopy --compress-debug-sections=zlib --remove-section=.eh_frame debug.so zlib.so 2>/dev/null"))
		SKIP("no compiler, no objcopy, or another machine");
	same_rows("zlib.so", expected);
}

TEST(frame_pointers_change_the_rows)
{
	char *without = usual(), *with;

	if (!without ||
		!build("-fasynchronous-unwind-tables -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer",
			"-Wl,--eh-frame-hdr", "fp.so"))
		SKIP("no compiler, or another machine");
	with = rows_of("fp.so", NULL);
	EXPECT(strcmp(with, without) != 0);
	EXPECT(strstr(with, "cfa 1+16") != NULL);	/* the CFA is relative to the frame pointer (HD_CFI_FP is 1) */
	free(with);
	free(without);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(without_eh_frame_hdr_the_rows_are_the_same), RUN(with_debug_frame_alone_the_rows_are_the_same),
		RUN(with_a_compressed_debug_frame_the_rows_are_the_same), RUN(frame_pointers_change_the_rows),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, open_folder, close_folder);
}
