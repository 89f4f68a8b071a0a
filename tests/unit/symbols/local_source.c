/* local_source.c - open the local file with the code of an object: by path, build-id, symbol root or cache */
#include "workshop.h"

#include <pthread.h>

static struct hd_log log_of;

static struct hd_symbols *symbols(const char *symfs, bool same_machine)
{
	struct hd_symbols_opts opts = { .symfs = symfs, .same_machine = same_machine };

	log_of = (struct hd_log){ 0 };
	return hd_symbols_new(&opts, &log_of);
}

/* Expect that nothing was logged, and free the object cache. */
static void done(struct hd_symbols *sy)
{
	EXPECT_INT(log_of.n, 0);
	hd_symbols_free(sy);
	hd_log_release(&log_of);
}

static void write_elf(const char *path)
{
	Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT, .e_ehsize = sizeof(eh), .e_phoff = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
	};
	/* an ELF note with the build-id 01 02 03 04 */
	static const uint8_t note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4 };
	Elf64_Phdr ph = { .p_type = PT_NOTE,
		.p_offset = sizeof(eh) + sizeof(ph),
		.p_filesz = sizeof(note),
		.p_align = 4 };
	uint8_t bytes[sizeof(eh) + sizeof(ph) + sizeof(note)];

	memcpy(bytes, &eh, sizeof(eh));
	memcpy(bytes + sizeof(eh), &ph, sizeof(ph));
	memcpy(bytes + sizeof(eh) + sizeof(ph), note, sizeof(note));
	put_bytes(path, bytes, sizeof(bytes));
}

static const uint8_t right[] = { 1, 2, 3, 4 }, wrong[] = { 4, 3, 2, 1 };

static struct hd_symbols_key key_of(const char *path, const uint8_t *id)
{
	return (struct hd_symbols_key){ .kind = HD_OBJ_FILE, .path = path, .build_id = id, .build_id_len = id ? 4 : 0 };
}

/* Return true if the descriptor is open and its file begins with the ELF magic; closes it. */
static bool opened(int fd)
{
	char magic[4];

	if (fd < 0)
		return false;
	EXPECT(pread(fd, magic, 4, 0) == 4);
	EXPECT_MEM(magic, "\177ELF", 4);
	close(fd);
	return true;
}

TEST(a_file_of_the_recorded_build_is_opened)
{
	char *path = textf("%s/app", workshop);
	struct hd_symbols_key key = key_of(path, right);
	struct hd_symbols *sy = symbols(NULL, false);
	struct hd_err err;

	write_elf("app");
	EXPECT(opened(hd_symbols_open_code(sy, &key, &err)));
	done(sy);
	free(path);
}

TEST(another_build_is_refused_in_silence)
{
	char *path = textf("%s/app", workshop), *want = textf("%s: %s is another build", path, path);
	struct hd_symbols_key key = key_of(path, wrong);
	struct hd_symbols *sy = symbols(NULL, true);
	struct hd_err err;

	EXPECT_INT(hd_symbols_open_code(sy, &key, &err), HD_EFORMAT);
	EXPECT_STR(err.msg, want);
	done(sy);
	free(want);
	free(path);
}

TEST(a_path_without_a_build_id_is_believed_on_the_same_machine_only)
{
	char *path = textf("%s/app", workshop);
	struct hd_symbols_key key = key_of(path, NULL);
	struct hd_symbols *sy = symbols(NULL, false);
	struct hd_err err;

	EXPECT(hd_symbols_open_code(sy, &key, &err) < 0);
	done(sy);
	sy = symbols(NULL, true);
	EXPECT(opened(hd_symbols_open_code(sy, &key, &err)));
	key.mnt_ns = 1;
	EXPECT(hd_symbols_open_code(sy, &key, &err) < 0);
	done(sy);
	free(path);
}

TEST(a_symbol_root_is_looked_into_first)
{
	struct hd_symbols_key key = key_of("/opt/app", NULL);
	struct hd_symbols *sy;
	struct hd_err err;

	EXPECT(mkdir("root", 0755) == 0 && mkdir("root/opt", 0755) == 0);
	write_elf("root/opt/app");
	sy = symbols("root", false);
	EXPECT(opened(hd_symbols_open_code(sy, &key, &err)));
	key = key_of("/opt/app (deleted)", right);
	EXPECT(opened(hd_symbols_open_code(sy, &key, &err)));
	key = key_of("/opt/app (deleted)", NULL);
	EXPECT(hd_symbols_open_code(sy, &key, &err) < 0);
	done(sy);
}

TEST(perfs_cache_has_it_when_the_path_has_not)
{
	struct hd_symbols_key key = key_of("/opt/gone", right);
	struct hd_symbols *sy;
	struct hd_err err;
	char *home = textf("%s/home", workshop);

	RUN_SH("mkdir -p home/.debug/.build-id/01/020304");
	write_elf("home/.debug/.build-id/01/020304/elf");
	setenv("HOME", home, 1);
	sy = symbols(NULL, false);
	EXPECT(opened(hd_symbols_open_code(sy, &key, &err)));
	key = key_of("/opt/gone", wrong);
	EXPECT(hd_symbols_open_code(sy, &key, &err) < 0);
	done(sy);
	setenv("HOME", "/proc/nonexistent", 1);
	setenv("CCACHE_DISABLE", "1", 1);
	free(home);
}

TEST(the_vdso_is_a_copy_of_our_own)
{
	struct hd_symbols_key key = { .kind = HD_OBJ_VDSO, .path = "[vdso]" };
	struct hd_symbols *sy = symbols(NULL, true);
	struct hd_err err;
	int fd = hd_symbols_open_code(sy, &key, &err);

	if (fd < 0)
		SKIP("there is no vdso here");
	EXPECT(opened(fd));
	key.path = "[vdso32]";
	EXPECT(hd_symbols_open_code(sy, &key, &err) < 0);
	done(sy);
}

TEST(an_object_without_a_file_has_no_code_to_open)
{
	static const enum hd_object_kind kinds[] = {
		HD_OBJ_UNKNOWN, HD_OBJ_KERNEL, HD_OBJ_MODULE, HD_OBJ_KSYM, HD_OBJ_PERFMAP, HD_OBJ_ANON,
	};
	struct hd_symbols *sy = symbols(NULL, true);
	struct hd_err err;

	for (size_t i = 0; i < HD_COUNT(kinds); i++) {
		struct hd_symbols_key key = { .kind = kinds[i], .path = "[name]" };

		EXPECT_INT(hd_symbols_open_code(sy, &key, &err), HD_EFORMAT);
		EXPECT_STR(err.msg, "[name]: there is no file with its code");
	}
	done(sy);
}

static void *open_often(void *p)
{
	char *path = textf("%s/app", workshop);
	struct hd_symbols_key key = key_of(path, right);
	size_t failed = 0;

	for (int i = 0; i < 50; i++) {
		int fd = hd_symbols_open_code(p, &key, NULL);

		failed += fd < 0;
		if (fd >= 0)
			close(fd);
	}
	free(path);
	return (void *)failed;
}

TEST(several_threads_may_look_up_at_once)
{
	struct hd_symbols *sy = symbols(NULL, false);
	pthread_t t[4];
	void *failed;

	for (int i = 0; i < 4; i++)
		EXPECT_INT(pthread_create(&t[i], NULL, open_often, sy), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &failed);
		EXPECT(!failed);
	}
	done(sy);
}

WORKSHOP_MAIN(
	RUN(a_file_of_the_recorded_build_is_opened),
	RUN(another_build_is_refused_in_silence),
	RUN(a_path_without_a_build_id_is_believed_on_the_same_machine_only),
	RUN(a_symbol_root_is_looked_into_first),
	RUN(perfs_cache_has_it_when_the_path_has_not),
	RUN(the_vdso_is_a_copy_of_our_own),
	RUN(an_object_without_a_file_has_no_code_to_open),
	RUN(several_threads_may_look_up_at_once))
