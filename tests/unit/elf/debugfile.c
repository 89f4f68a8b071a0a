/* debugfile.c - find the debug file of a stripped binary, and reject files that do not belong to it */
#include "unit/symbols/workshop.h"

#include "elf/minidebug.h"

#include <errno.h>
#include <lzma.h>

static const char source[] =
	"static __attribute__((noinline)) int hidden(int x) { return x * 3 + 1; }\n"
	"__attribute__((noinline)) int shown(int x) { return hidden(x) + hidden(x + 1); }\n"
	"void _start(void) { shown(1); for (;;) ; }\n";

#define TOOLS() do { NEED("objcopy"); NEED("strip"); NEED("nm"); NEED("readelf"); } while (0)

/*
 * Build app, the whole binary, app.s, the stripped one, and app.dbg, its debug file.  Return their build-id, which the
 * caller frees, and the file offset of hidden() in *foff.
 */
static char *build(const char *flags, uint64_t *foff)
{
	char *cmd = textf("$CC -g -O1 -nostdlib -shared -fPIC %s ../s.c -o app && cp app app.s && strip app.s && "
			  "objcopy --only-keep-debug app app.dbg", flags);

	put("s.c", source);
	BUILD_IN("build", cmd);
	RUN_SH("cp build/* .");
	free(cmd);
	*foff = foff_of("app", nm_of("app", "hidden"));
	return build_id_of("app");
}

static void place(const char *file, const char *dir, const char *name)
{
	char *path = textf("%s/%s", dir, name);
	uint8_t *bytes;
	size_t n;

	for (char *s = path; (s = strchr(s + 1, '/'));) {
		*s = '\0';
		EXPECT(mkdir(path, 0755) == 0 || errno == EEXIST);
		*s = '/';
	}
	bytes = slurp(file, &n);
	put_bytes(path, bytes, n);
	free(bytes);
	free(path);
}

static void place_by_id(const char *file, const char *before, const char *id, const char *behind)
{
	char *dir = textf("%s/%.2s", before, id), *name = textf("%s%s", id + 2, behind);

	place(file, dir, name);
	free(dir);
	free(name);
}

static void clear(void)
{
	RUN_SH("rm -rf root home app app.s app.dbg .debug && mkdir root home");
}

TEST(a_debug_file_below_the_symbol_root_is_found_by_build_id)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id", &foff);
	place("app.s", "root/opt", "app");
	place_by_id("app.dbg", "root/usr/lib/debug/.build-id", id, ".debug");
	bench_recorded(&b, "root", "/opt/app", id);
	EXPECT_STR(name_at(&b, foff), "hidden");
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_DEBUGINFO);
	EXPECT(strstr(hd_object_source(b.o), "root/usr/lib/debug/.build-id/"));
	EXPECT_STR(hd_object_build_id(b.o), id);
	EXPECT(!hd_object_problem(b.o));
	EXPECT_INT(b.log.n, 0);
	bench_close(&b);
	free(id);
}

TEST(a_debug_link_beside_the_file_or_in_a_folder_beside_it_is_followed)
{
	static const char *const dirs[] = { ".", ".debug" };
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	for (size_t i = 0; i < HD_COUNT(dirs); i++) {
		clear();
		id = build("-Wl,--build-id=none", &foff);
		RUN_SH("objcopy --add-gnu-debuglink=app.dbg app.s");
		RUN_SH("mv app.dbg kept && mv app away");
		place("kept", dirs[i], "app.dbg");
		bench_file(&b, "app.s");
		EXPECT_STR(name_at(&b, foff), "hidden");
		EXPECT(strstr(hd_object_source(b.o), "/app.dbg"));
		bench_close(&b);
		free(id);
	}
}

TEST(a_debug_link_is_looked_for_in_the_debug_tree_of_the_symbol_root)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id=none", &foff);
	RUN_SH("objcopy --add-gnu-debuglink=app.dbg app.s");
	place("app.s", "root/opt", "app");
	place("app.dbg", "root/usr/lib/debug/opt", "app.dbg");
	bench_recorded(&b, "root", "/opt/app", "");
	EXPECT_STR(name_at(&b, foff), "hidden");
	bench_close(&b);
	free(id);
}

TEST(a_debug_link_whose_checksum_does_not_fit_is_refused)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id=none", &foff);
	RUN_SH("objcopy --add-gnu-debuglink=app.dbg app.s && printf x >> app.dbg");
	bench_file(&b, "app.s");
	EXPECT_STR(name_at(&b, foff), "-");
	EXPECT(hd_log_find(&b.log, "symbols.debuglink-crc"));
	EXPECT(strstr(hd_log_find(&b.log, "symbols.debuglink-crc")->text, "its checksum is"));
	bench_close(&b);
	free(id);
}

TEST(a_debug_link_with_a_path_in_it_is_refused)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id=none", &foff);
	put_bytes("link", "../app.dbg\0\0\1\2\3\4", 16);
	RUN_SH("objcopy --add-section .gnu_debuglink=link app.s && mkdir sub && mv app.s sub/ && mv app sub/whole");
	bench_file(&b, "sub/app.s");
	EXPECT_STR(name_at(&b, foff), "-");
	EXPECT(strstr(hd_log_find(&b.log, "symbols.damaged")->text, "`.gnu_debuglink` names a path, not a file"));
	bench_close(&b);
	free(id);
}

TEST(a_file_of_another_build_is_refused_and_named_with_both_build_ids)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id=0x1111111111111111111111111111111111111111", &foff);
	place("app", "root/opt", "app");
	bench_recorded(&b, "root", "/opt/app", "2222222222222222222222222222222222222222");
	EXPECT_STR(name_at(&b, foff), "-");
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
	EXPECT_STR(hd_object_problem(b.o), "root/opt/app is another build");
	EXPECT_STR(hd_log_find(&b.log, "symbols.build-id-mismatch")->text,
		"root/opt/app: is not the recorded build: its build-id is "
		"1111111111111111111111111111111111111111 instead of 2222222222222222222222222222222222222222");
	bench_close(&b);
	free(id);
}

TEST(a_file_without_a_build_id_is_not_the_recorded_one_when_that_has_one)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id=none", &foff);
	place("app", "root/opt", "app");
	bench_recorded(&b, "root", "/opt/app", "22222222");
	EXPECT_STR(name_at(&b, foff), "-");
	EXPECT(strstr(hd_log_find(&b.log, "symbols.build-id-mismatch")->text, "its build-id is absent"));
	bench_close(&b);
	free(id);
}

TEST(a_short_build_id_padded_with_zeros_is_the_same)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id=0x0102030405060708", &foff);
	place("app", "root/opt", "app");
	bench_recorded(&b, "root", "/opt/app", "0102030405060708000000000000000000000000");
	EXPECT_STR(name_at(&b, foff), "hidden");
	bench_close(&b);
	/* A build-id of zeros means that there is none. */
	bench_recorded(&b, "root", "/opt/app", "0000000000000000000000000000000000000000");
	EXPECT_STR(name_at(&b, foff), "hidden");
	bench_close(&b);
	free(id);
}

TEST(a_debug_file_of_another_build_is_passed_over)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	free(build("-Wl,--build-id=0x99999999", &foff));
	RUN_SH("mv app.dbg other");
	id = build("-Wl,--build-id=0x11111111", &foff);
	place("app.s", "root/opt", "app");
	place_by_id("other", "root/usr/lib/debug/.build-id", id, ".debug");
	bench_recorded(&b, "root", "/opt/app", id);
	EXPECT_STR(name_at(&b, foff), "-");
	bench_close(&b);
	free(id);
}

TEST(perf_s_cache_has_what_the_machine_no_longer_has)
{
	struct hd_bench b;
	uint64_t foff;
	char *id, *dir, *home = textf("%s/home", workshop);

	TOOLS();
	clear();
	id = build("-Wl,--build-id", &foff);
	setenv("HOME", home, 1);
	dir = textf("home/.debug/opt/app/%s", id);
	place("app", dir, "elf");
	free(dir);
	dir = textf("mkdir -p home/.debug/.build-id/%.2s && ln -s ../../opt/app/%s home/.debug/.build-id/%.2s/%s", id,
		id, id, id + 2);
	RUN_SH(dir);
	free(dir);
	bench_recorded(&b, NULL, "/opt/app", id);
	EXPECT_STR(name_at(&b, foff), "hidden");
	bench_close(&b);
	setenv("HOME", "/proc/nonexistent", 1);
	setenv("CCACHE_DISABLE", "1", 1);
	free(home);
	free(id);
}

TEST(a_flat_folder_of_binaries_is_a_symbol_root_when_the_build_id_fits)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id", &foff);
	place("app", "root", "app");
	bench_recorded(&b, "root", "/some/where/else/app", id);
	EXPECT_STR(name_at(&b, foff), "hidden");
	bench_close(&b);
	/* Without a build-id, a name alone is not enough. */
	bench_recorded(&b, "root", "/some/where/else/app", "");
	EXPECT_STR(name_at(&b, foff), "-");
	bench_close(&b);
	free(id);
}

TEST(a_debug_file_alone_gives_names_if_its_layout_is_known)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id", &foff);
	place_by_id("app.dbg", "root/usr/lib/debug/.build-id", id, ".debug");
	bench_recorded(&b, "root", "/opt/app", id);
	EXPECT_STR(name_at(&b, foff), "hidden");
	EXPECT_STR(name_at(&b, foff_of("app", nm_of("app", "shown"))), "shown");
	bench_close(&b);
	free(id);
}

TEST(a_file_that_was_replaced_while_it_ran_is_used_only_when_it_is_the_same_build)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	clear();
	id = build("-Wl,--build-id", &foff);
	place("app", "root/opt", "app");
	bench_recorded(&b, "root", "/opt/app (deleted)", id);
	EXPECT_STR(name_at(&b, foff), "hidden");
	bench_close(&b);
	bench_recorded(&b, "root", "/opt/app (deleted)", "");
	EXPECT_STR(name_at(&b, foff), "-");
	EXPECT_STR(hd_object_problem(b.o), "the file was deleted before the recording ended");
	bench_close(&b);
	free(id);
}

TEST(a_path_from_another_machine_is_not_believed_without_a_build_id)
{
	struct hd_bench b;
	uint64_t foff;
	char *id, *path = textf("%s/app", workshop);

	TOOLS();
	clear();
	id = build("-Wl,--build-id", &foff);
	bench_recorded(&b, NULL, path, "");
	EXPECT_STR(name_at(&b, foff), "-");
	EXPECT_STR(hd_object_problem(b.o), "the recording is from another machine and has no build-id for it");
	bench_close(&b);
	bench_recorded(&b, NULL, path, id);
	EXPECT_STR(name_at(&b, foff), "hidden");
	bench_close(&b);
	free(path);
	free(id);
}

TEST(a_path_inside_a_container_is_not_believed_without_a_build_id)
{
	struct hd_symbols_opts opts = { .same_machine = true };
	char *path = textf("%s/app", workshop);
	struct hd_bench b;
	uint64_t foff;

	TOOLS();
	clear();
	free(build("-Wl,--build-id", &foff));
	bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = path, .mnt_ns = 1 });
	EXPECT_STR(name_at(&b, foff), "-");
	bench_close(&b);
	free(path);
}

TEST(paths_that_climb_or_lead_to_devices_are_refused)
{
	static const char *const paths[] = { "/opt/../../etc/passwd", "/dev/zero", "/proc/self/exe", "relative", "" };

	for (size_t i = 0; i < HD_COUNT(paths); i++) {
		struct hd_symbols_opts opts = { .same_machine = true };
		struct hd_bench b;

		bench_open(&b, &opts, &(struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = paths[i] });
		EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_NONE);
		EXPECT(hd_object_problem(b.o));
		bench_close(&b);
	}
}

TEST(a_link_below_the_symbol_root_does_not_lead_out_of_it)
{
	struct hd_bench b;
	uint64_t foff;
	char *id, *cmd;

	TOOLS();
	clear();
	id = build("-Wl,--build-id=none", &foff);
	RUN_SH("mkdir root/opt");
	cmd = textf("ln -s %s/app root/opt/app", workshop);
	RUN_SH(cmd);
	bench_recorded(&b, "root", "/opt/app", "");
	EXPECT_STR(name_at(&b, foff), "-");
	bench_close(&b);
	free(cmd);
	free(id);
}

/* ---- mini debuginfo ---- */

TEST(mini_debuginfo_has_the_names_that_stripping_took)
{
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	NEED("xz");
	clear();
	id = build("-Wl,--build-id", &foff);
	RUN_SH("cp app mini && strip -g -R .dynsym mini 2>/dev/null; objcopy -S --keep-symbol=hidden app mini && xz "
		"-k mini && "
	       "objcopy --add-section .gnu_debugdata=mini.xz app.s && rm mini mini.xz");
	place("app.s", "root/opt", "app");
	bench_recorded(&b, "root", "/opt/app", id);
	EXPECT_STR(name_at(&b, foff), "hidden");
	/* A symbol that .gnu_debugdata does not have is found in .dynsym. */
	EXPECT_STR(name_at(&b, foff_of("app", nm_of("app", "shown"))), "shown");
	EXPECT_INT(hd_object_quality(b.o), HD_SYMQ_SYMTAB);
	EXPECT_STR(hd_object_source(b.o), "root/opt/app (.gnu_debugdata)");
	bench_close(&b);
	free(id);
}

TEST(mini_debuginfo_that_is_damaged_or_unpacks_without_end_costs_itself_only)
{
	static const char *const make[] = {
		"head -c 64 /dev/urandom > bad",
		"head -c 300000000 /dev/zero | xz -0 > bad",
		"printf 'no ELF file' | xz > bad",
	};
	struct hd_bench b;
	uint64_t foff;
	char *id;

	TOOLS();
	NEED("xz");
	for (size_t i = 0; i < HD_COUNT(make); i++) {
		clear();
		id = build("-Wl,--build-id", &foff);
		RUN_SH(make[i]);
		RUN_SH("objcopy --add-section .gnu_debugdata=bad app.s");
		place("app.s", "root/opt", "app");
		bench_recorded(&b, "root", "/opt/app", id);
		EXPECT_STR(name_at(&b, foff), "-");
		EXPECT_STR(name_at(&b, foff_of("app", nm_of("app", "shown"))), "shown");
		EXPECT(strstr(hd_log_find(&b.log, "symbols.damaged")->text, "`.gnu_debugdata`"));
		bench_close(&b);
		free(id);
	}
}

/* Return n zeros, compressed; the caller frees them. */
static uint8_t *packed_zeros(size_t n, size_t *packed)
{
	size_t room = lzma_stream_buffer_bound(n);
	uint8_t *zeros = hd_zalloc(n, 1), *out = hd_alloc(room);

	*packed = 0;
	EXPECT(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, zeros, n, out, packed, room) == LZMA_OK);
	free(zeros);
	return out;
}

TEST(unpacking_stops_at_64_times_the_size_and_at_the_limit)
{
	struct hd_err err;
	uint8_t *packed;
	size_t n, got;
	void *out;

	/* The ratio of output to input is limited for large outputs only. */
	packed = packed_zeros(900 * 1000, &n);
	out = hd_xz_unpack(packed, n, 1 << 30, &got, &err);
	EXPECT(out && got == 900 * 1000);
	free(out);
	EXPECT(!hd_xz_unpack(packed, n, 899 * 1000, &got, &err));
	EXPECT(strstr(err.msg, "unpack to more than 899000"));
	/* Truncated by one byte, and empty. */
	EXPECT(!hd_xz_unpack(packed, n - 1, 1 << 30, &got, &err));
	EXPECT(strstr(err.msg, "are damaged"));
	EXPECT(!hd_xz_unpack(packed, 0, 1 << 30, &got, &err));
	free(packed);
	packed = packed_zeros(64 << 20, &n);
	EXPECT(!hd_xz_unpack(packed, n, 1 << 30, &got, &err));
	EXPECT(strstr(err.msg, "unpack to more than"));
	free(packed);
}

WORKSHOP_MAIN(
	RUN(a_debug_file_below_the_symbol_root_is_found_by_build_id),
	RUN(a_debug_link_beside_the_file_or_in_a_folder_beside_it_is_followed),
	RUN(a_debug_link_is_looked_for_in_the_debug_tree_of_the_symbol_root),
	RUN(a_debug_link_whose_checksum_does_not_fit_is_refused),
	RUN(a_debug_link_with_a_path_in_it_is_refused),
	RUN(a_file_of_another_build_is_refused_and_named_with_both_build_ids),
	RUN(a_file_without_a_build_id_is_not_the_recorded_one_when_that_has_one),
	RUN(a_short_build_id_padded_with_zeros_is_the_same),
	RUN(a_debug_file_of_another_build_is_passed_over),
	RUN(perf_s_cache_has_what_the_machine_no_longer_has),
	RUN(a_flat_folder_of_binaries_is_a_symbol_root_when_the_build_id_fits),
	RUN(a_debug_file_alone_gives_names_if_its_layout_is_known),
	RUN(a_file_that_was_replaced_while_it_ran_is_used_only_when_it_is_the_same_build),
	RUN(a_path_from_another_machine_is_not_believed_without_a_build_id),
	RUN(a_path_inside_a_container_is_not_believed_without_a_build_id),
	RUN(paths_that_climb_or_lead_to_devices_are_refused),
	RUN(a_link_below_the_symbol_root_does_not_lead_out_of_it),
	RUN(mini_debuginfo_has_the_names_that_stripping_took),
	RUN(mini_debuginfo_that_is_damaged_or_unpacks_without_end_costs_itself_only),
	RUN(unpacking_stops_at_64_times_the_size_and_at_the_limit),
)
