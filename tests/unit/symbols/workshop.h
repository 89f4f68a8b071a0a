/*
 * workshop.h - make a folder in which tests build small binaries
 *
 *     workshop_open()                       a fresh folder; removed at the end
 *     put("a.c", "int main...")             a file in it
 *     RUN_SH("$CC -g a.c -o a")             a shell command in it; skips the test when a tool is absent
 *     said("nm a")                          the output of a command; the caller frees it
 *     build_in("one", "$CC -g ../a.c -o a") a command in a folder of its own; its files are kept for the next call
 *
 * $CC is the compiler of the build.  HOME is a path that cannot exist, so that no cache of the user is read.
 */
#ifndef HD_TEST_WORKSHOP_H
#define HD_TEST_WORKSHOP_H

#include "test.h"

#include "base/buf.h"
#include "base/mem.h"
#include "symbols/symbols.h"

#include <elf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char workshop[PATH_MAX];

__attribute__((unused)) static int workshop_open(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(workshop, sizeof(workshop), "%s/hd-symbols.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
	if (!mkdtemp(workshop) || chdir(workshop) < 0 || mkdir("home", 0700) < 0)
		return -1;
	setenv("HOME", "/proc/nonexistent", 1);	/* a folder that no compiler's cache can create */
	setenv("CCACHE_DISABLE", "1", 1);
	setenv("CC", getenv("CC") && *getenv("CC") ? getenv("CC") : "cc", 1);
	unsetenv("DEBUGINFOD_URLS");
	return 0;
}

__attribute__((unused)) static int workshop_close(void **state)
{
	char cmd[PATH_MAX + 32];

	(void)state;
	if (chdir("/") < 0)
		return -1;
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", workshop);
	return system(cmd) ? -1 : 0;
}

/* Define main(), which makes the folder, runs the tests, and removes the folder. */
#define WORKSHOP_MAIN(...)						\
	int main(void)							\
	{								\
		const struct CMUnitTest tests[] = { __VA_ARGS__ };	\
									\
		return cmocka_run_group_tests_name(__FILE__, tests, workshop_open, workshop_close); \
	}

__attribute__((unused)) static void put_bytes(const char *name, const void *p, size_t n)
{
	FILE *f = fopen(name, "wb");

	EXPECT(f);
	EXPECT(fwrite(p, 1, n, f) == n);
	EXPECT(fclose(f) == 0);
}

__attribute__((unused)) static void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

__attribute__((unused, format(printf, 1, 2))) static char *textf(const char *fmt, ...)
{
	struct hd_buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	hd_buf_vaddf(&b, fmt, ap);
	va_end(ap);
	return hd_buf_take(&b);
}

/* Run a shell command and return its exit status (127 if a program is missing), or -1 if a signal ended it. */
__attribute__((unused)) static int run_sh(const char *cmd)
{
	int status = system(cmd);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Return true if a folder of PATH has the program.  This starts no process, since most tests call it several times. */
__attribute__((unused)) static bool have(const char *tool)
{
	const char *dir = getenv("PATH");
	char path[PATH_MAX];
	struct stat st;

	for (size_t n; dir && *dir; dir += n + (dir[n] == ':')) {
		n = strcspn(dir, ":");
		snprintf(path, sizeof(path), "%.*s/%s", (int)n, dir, tool);
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/*
 * Run a shell command in a new, empty folder of the workshop, and return its exit status.  If the same command
 * succeeded before, the folder gets copies of the files that it made then.
 */
__attribute__((unused)) static int build_in(const char *folder, const char *cmd)
{
	static char *done[64];
	static size_t ndone;
	size_t i = 0;
	char *script;
	int rc;

	while (i < ndone && strcmp(done[i], cmd))
		i++;
	if (i < ndone)
		script = textf("rm -rf %s && cp -a built-%zu %s", folder, i, folder);
	else
		script = textf("rm -rf %s built-%zu && mkdir %s && (cd %s && %s) && cp -a %s built-%zu",
			folder, i, folder, folder, cmd, folder, i);
	rc = run_sh(script);
	free(script);
	if (rc == 0 && i == ndone) {
		EXPECT(ndone < HD_COUNT(done));
		done[ndone++] = hd_strdup(cmd);
	}
	return rc;
}

#define NEED(tool) do { if (!have(tool)) SKIP("there is no " tool); } while (0)
#define RUN_SH(cmd)						\
	do {							\
		int rc_ = run_sh(cmd);				\
								\
		if (rc_ == 127)					\
			SKIP("a tool it needs is absent");	\
		EXPECT_INT(rc_, 0);				\
	} while (0)
/* Build in a folder as build_in() does; skip the test if a program is missing. */
#define BUILD_IN(folder, cmd)					\
	do {							\
		int rc_ = build_in(folder, cmd);		\
								\
		if (rc_ == 127)					\
			SKIP("a tool it needs is absent");	\
		EXPECT_INT(rc_, 0);				\
	} while (0)
/* Run a command, and skip the test if it fails: a target, a linker or a library may be missing here. */
#define TRY_SH(cmd) do { if (run_sh(cmd " 2>/dev/null") != 0) SKIP("cannot build it here: " cmd); } while (0)
#define TRY_BUILD_IN(folder, cmd) \
	do { if (build_in(folder, cmd " 2>/dev/null") != 0) SKIP("cannot build it here: " cmd); } while (0)

__attribute__((unused)) static char *said(const char *cmd)
{
	struct hd_buf b = { 0 };
	FILE *f = popen(cmd, "r");
	size_t n;

	EXPECT(f);
	while ((n = fread(hd_buf_reserve(&b, 65536), 1, 65536, f)) > 0)
		b.len += n;
	pclose(f);
	hd_buf_addc(&b, '\0');
	return hd_buf_take(&b);
}

/* An object cache with its log, and one object in it. */
struct hd_bench {
	struct hd_log log;
	struct hd_symbols *sy;
	struct hd_symobj *o;
};

__attribute__((unused)) static void bench_open(struct hd_bench *b, const struct hd_symbols_opts *opts,
	const struct hd_symbols_key *key)
{
	*b = (struct hd_bench){ 0 };
	b->sy = hd_symbols_new(opts, &b->log);
	b->o = hd_symbols_object(b->sy, key);
	EXPECT(b->o);
}

__attribute__((unused)) static void bench_close(struct hd_bench *b)
{
	hd_symbols_free(b->sy);
	hd_log_release(&b->log);
}

/* Open the bench with a file of the workshop, as if it was recorded on this machine without a build-id. */
__attribute__((unused)) static void bench_file(struct hd_bench *b, const char *name)
{
	struct hd_symbols_opts opts = { .same_machine = true };
	char *path = textf("%s/%s", workshop, name);

	bench_open(b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = path });
	free(path);
}

/* Open the bench with a file below a symbol root; hex is the build-id in the recording ("": none). */
__attribute__((unused)) static void bench_recorded(struct hd_bench *b, const char *symfs, const char *path,
	const char *hex)
{
	struct hd_symbols_opts opts = { .symfs = symfs };
	uint8_t id[64];
	size_t n = 0;

	for (; hex[2 * n]; n++) {
		unsigned byte;

		EXPECT(sscanf(hex + 2 * n, "%2x", &byte) == 1);
		id[n] = (uint8_t)byte;
	}
	bench_open(b, &opts,
		&(struct hd_symbols_key){ .kind = HD_OBJ_FILE,
			.path = path,
			.build_id = id,
			.build_id_len = (uint8_t)n });
}

/* Return the linkage name at an address, or "-". */
__attribute__((unused)) static const char *name_at(struct hd_bench *b, uint64_t foff)
{
	struct hd_symbol_hit hit;

	hd_object_lookup(b->o, foff, &hit);
	EXPECT(!hit.linkage || (hit.start <= hit.vaddr && (hit.vaddr - hit.start < hit.size || !hit.size)));
	return hit.linkage ? hit.linkage : "-";
}

/* Return the n bytes of a file; the caller frees them. */
__attribute__((unused)) static uint8_t *slurp(const char *name, size_t *n)
{
	FILE *f = fopen(name, "rb");
	struct hd_buf b = { 0 };
	size_t got;

	EXPECT(f);
	while ((got = fread(hd_buf_reserve(&b, 65536), 1, 65536, f)) > 0)
		b.len += got;
	fclose(f);
	*n = b.len;
	return (uint8_t *)hd_buf_take(&b);
}

/*
 * Convert a vaddr to an offset in a 64- or 32-bit little-endian file by its executable segments,
 * without the code under test.
 */
__attribute__((unused)) static uint64_t foff_of(const char *name, uint64_t vaddr)
{
	uint64_t foff = UINT64_MAX;
	size_t n;
	uint8_t *bytes = slurp(name, &n);

	EXPECT(n > sizeof(Elf64_Ehdr));
	if (bytes[EI_CLASS] == ELFCLASS64) {
		Elf64_Ehdr eh;
		Elf64_Phdr ph;

		memcpy(&eh, bytes, sizeof(eh));
		for (size_t i = 0; i < eh.e_phnum; i++) {
			memcpy(&ph, bytes + eh.e_phoff + i * sizeof(ph), sizeof(ph));
			if (ph.p_type == PT_LOAD && (ph.p_flags & PF_X) && vaddr - ph.p_vaddr < ph.p_filesz)
				foff = vaddr - ph.p_vaddr + ph.p_offset;
		}
	} else {
		Elf32_Ehdr eh;
		Elf32_Phdr ph;

		memcpy(&eh, bytes, sizeof(eh));
		for (size_t i = 0; i < eh.e_phnum; i++) {
			memcpy(&ph, bytes + eh.e_phoff + i * sizeof(ph), sizeof(ph));
			if (ph.p_type == PT_LOAD && (ph.p_flags & PF_X) && vaddr - ph.p_vaddr < ph.p_filesz)
				foff = vaddr - ph.p_vaddr + ph.p_offset;
		}
	}
	free(bytes);
	return foff;
}

/* Return the vaddr of a symbol, which nm prints. */
__attribute__((unused)) static uint64_t nm_of(const char *name, const char *symbol)
{
	char *cmd = textf("nm %s", name), *out = said(cmd);
	uint64_t found = 0, v;
	bool is_there = false;

	for (char *save, *line = strtok_r(out, "\n", &save); line && !is_there; line = strtok_r(NULL, "\n", &save)) {
		int at = 0;

		if (sscanf(line, "%" SCNx64 " %*c %n", &v, &at) == 1 && at && !strcmp(line + at, symbol)) {
			found = v;
			is_there = true;
		}
	}
	EXPECT(is_there);
	free(out);
	free(cmd);
	return found;
}

/* Return the build-id of a file, which readelf prints; the caller frees it. */
__attribute__((unused)) static char *build_id_of(const char *name)
{
	static const char mark[] = "Build ID: ";
	char *cmd = textf("readelf -n %s 2>/dev/null", name), *out = said(cmd), *at = strstr(out, mark), *id;

	id = at ? textf("%.*s", (int)strcspn(at + strlen(mark), "\n"), at + strlen(mark)) : hd_strdup("");
	free(out);
	free(cmd);
	return id;
}

#endif
