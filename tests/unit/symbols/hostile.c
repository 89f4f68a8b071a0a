/*
 * hostile.c - read ELF files that attack readers: those of fuzz/elf.tar.xz in the shared folder, and files that the
 * test damages
 *
 * Each file is read in a child with 10 s of CPU time: symbols, names of many addresses, lines, inlined functions.  A
 * signal or a sanitizer report is a failure.  So is a file that was cut off, or has damage for which must_be_told() is
 * true, and is read without a warning.
 */
#include "workshop.h"
#include "elf/demangle.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

enum { FINE = 0, FINE_AND_WARNED = 10 };

static void ask_everything(struct hd_bench *b, uint64_t probe)
{
	static struct hd_inline_hit inlined[HD_INLINE_MAX];
	struct hd_symbol_hit hit;
	struct hd_line_hit line;

	for (uint64_t foff = 0; foff < 0x6000; foff += 7) {
		hd_object_lookup(b->o, foff, &hit);
		if (hit.linkage) {
			free(hd_demangle(hit.linkage, true));
			free(hd_symbol_normalise(hit.linkage));
		}
		hd_object_line(b->o, hit.vaddr, &line);
		hd_object_inlines(b->o, hit.vaddr, inlined, HD_INLINE_MAX);
	}
	hd_object_lookup(b->o, probe, &hit);
	hd_object_line(b->o, hit.vaddr, &line);
	hd_object_inlines(b->o, hit.vaddr, inlined, HD_INLINE_MAX);
	hd_object_lookup(b->o, UINT64_MAX, &hit);
	hd_object_line(b->o, UINT64_MAX, &line);
}

/*
 * Read the file `path` below the symbol root in a child process; return its exit status, or minus the number of the
 * signal that ended it.
 */
static int read_in_child(const char *symfs, const char *path, uint64_t probe)
{
	struct rlimit cpu = { 10, 10 };
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	EXPECT(pid >= 0);
	if (!pid) {
		struct hd_bench b;
		int rc;

		setrlimit(RLIMIT_CPU, &cpu);
#if !SANITIZED
		setrlimit(RLIMIT_AS, &(struct rlimit){ 2ul << 30, 2ul << 30 });
#endif
		bench_recorded(&b, symfs, path, "");
		ask_everything(&b, probe);
		rc = b.log.n ? FINE_AND_WARNED : FINE;
		bench_close(&b);
		_exit(rc);
	}
	while (waitpid(pid, &status, 0) < 0)
		EXPECT(errno == EINTR);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static const char *shared_dir(void)
{
	const char *dir = getenv("HD_SHARED");

	return dir && *dir ? dir : "../shared";
}

/* Return true if the archive's list has class E (visible damage) for a file, and symbols/ must report this kind. */
static bool must_be_told(const char *kind, const char *class)
{
	static const char *const kinds[] = {
		"ehdr_cut", "shdr_table_cut", "shentsize_odd", "sh_offset_wrap", "symtab_entsize_odd",
		"symtab_link_wild", "strtab_no_nul",
		"phdr_wild", "debuglink_no_nul", "data_mismatch", "nobits_everything", "chdr_size_lie",
		"chdr_type_unknown", "zstd_bomb",
		"minidebug_bomb", "unit_length_huge", "unit_length_zero_run", "line_opbase_zero", "line_unterminated",
	};

	for (size_t i = 0; i < HD_COUNT(kinds); i++)
		if (!strcmp(kind, kinds[i]))
			return !strcmp(class, "E");
	return false;
}

static char archive[PATH_MAX];

TEST(hostile_files_are_rejected_with_a_warning)
{
	char *cmd, *manifest;
	size_t n = 0;

	NEED("tar");
	NEED("xz");
	if (!*archive)
		SKIP("no fuzz/elf.tar.xz in the shared folder");
	cmd = textf("mkdir -p hostile && tar -xf '%s' -C hostile", archive);
	RUN_SH(cmd);
	free(cmd);
	manifest = said("cat hostile/manifest.tsv");
	for (char *save, *line = strtok_r(manifest, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char name[100], kind[100], class[10], probe[40], *path;
		int status;

		if (sscanf(line, "%99[^\t]\t%99[^\t]\t%9[^\t]\t%39[^\t]", name, kind, class, probe) != 4 ||
			!strcmp(name, "name"))
			continue;
		path = textf("/h/%s", name);
		status = read_in_child("hostile/root", path, strtoull(probe, NULL, 16));
		if (status != FINE_AND_WARNED && (status != FINE || must_be_told(kind, class)))
			fail_msg("%s: status %d", name, status);
		free(path);
		n++;
	}
	EXPECT(n > 0);
	free(manifest);
}

/* ---- files that the test damages ---- */

static const char source[] =
	"static __attribute__((noinline)) int hidden(int x) { return x * 3 + 1; }\n"
	"int ext(int);\n"
	"__attribute__((noinline)) int shown(int x) { return hidden(x) + ext(x + 1); }\n"
	"void _start(void) { shown(1); for (;;) ; }\n";

TEST(a_file_cut_off_at_any_place_breaks_nothing)
{
	uint8_t *bytes;
	size_t n;

	put("s.c", source);
	RUN_SH("$CC -g -O1 -nostdlib -shared -fPIC -Wl,-z,max-page-size=4096 s.c -o whole && mkdir -p cut");
	bytes = slurp("whole", &n);
	for (size_t at = 0; at < n; at += at < 512 ? 16 : n / 60) {
		put_bytes("cut/f", bytes, at);
		EXPECT_INT(read_in_child("cut", "/f", 0x1000), FINE_AND_WARNED);
	}
	free(bytes);
}

TEST(a_file_with_any_header_byte_changed_breaks_nothing)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	Elf64_Ehdr eh;
	unsigned seed = 3;
	uint8_t *bytes;
	size_t n;

	put("s.c", source);
	RUN_SH("$CC -g -O1 -nostdlib -shared -fPIC s.c -o whole && mkdir -p cut");
	bytes = slurp("whole", &n);
	memcpy(&eh, bytes, sizeof(eh));
	for (int round = 0; round < 150; round++) {
		uint8_t *copy = hd_alloc(n);
		int status;

		memcpy(copy, bytes, n);
		for (int k = 0; k < 3; k++) {
			size_t at;

			seed = seed * 1103515245 + 12345;
			/* Damage the ELF and program headers, the section headers, or any byte. */
			if (round % 3 == 0)
				at = (seed >> 8) % (sizeof(eh) + eh.e_phnum * sizeof(Elf64_Phdr));
			else if (round % 3 == 1)
				at = eh.e_shoff + (seed >> 8) % (eh.e_shnum * sizeof(Elf64_Shdr));
			else
				at = (seed >> 4) % n;
			copy[at % n] = values[seed % HD_COUNT(values)];
		}
		put_bytes("cut/f", copy, n);
		status = read_in_child("cut", "/f", 0x1000);
		EXPECT(status == FINE || status == FINE_AND_WARNED);
		free(copy);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(hostile_files_are_rejected_with_a_warning),
		RUN(a_file_cut_off_at_any_place_breaks_nothing),
		RUN(a_file_with_any_header_byte_changed_breaks_nothing),
	};
	char path[PATH_MAX];

	/* Resolve the path before workshop_open() changes the folder. */
	snprintf(path, sizeof(path), "%s/fuzz/elf.tar.xz", shared_dir());
	if (!realpath(path, archive))
		*archive = '\0';
	return cmocka_run_group_tests_name(__FILE__, tests, workshop_open, workshop_close);
}
