/* replaced_program.c - if a program was replaced during the recording, its samples get no names from the new file */
#include "unit/pipeline/recording.h"

#include "base/file.h"
#include "elf/elf_file.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>

enum { PID = 50, SPAN_S = 10 };

/* The differences between the recording and the file of the program. */
struct story {
	bool other_inode, other_generation;
	bool inline_id, listed_id;
	bool before;			/* the file was changed before the recording began */
	bool after;			/* the file was changed after the recording was written */
	bool other_machine, symfs;
};

struct scene {
	char *dir, *app, *path;
	struct stat app_st;
	uint64_t generation;		/* 0: the file system has no generation numbers */
	uint8_t id[20];
	uint8_t id_len;
};

static void put_app(struct scene *sc)
{
	struct hd_buf self = { 0 };
	struct hd_log log = { 0 };
	struct hd_elf *e = NULL;
	struct hd_err err;
	long generation = 0;
	int fd = hd_file_open("/proc/self/exe", &err);

	EXPECT(fd >= 0 && hd_file_slurp(fd, "self", 64 << 20, &self, &err) >= 0);
	close(fd);
	sc->app = put_file(sc->dir, "app", self.data, self.len);
	hd_buf_release(&self);
	fd = open(sc->app, O_RDONLY | O_CLOEXEC);
	EXPECT(fd >= 0 && fstat(fd, &sc->app_st) == 0);
	sc->generation = ioctl(fd, FS_IOC_GETVERSION, &generation) == 0 ? (uint32_t)generation : 0;
	EXPECT(hd_elf_open(&e, fd, sc->app, &log, &err) >= 0);
	sc->id_len = (uint8_t)e->build_id_len;
	memcpy(sc->id, e->build_id, e->build_id_len);
	hd_elf_close(e);
	hd_log_release(&log);
}

/* Write a recording in which the whole file is mapped, with a sample 4 KiB after its start. */
static void put_recording(struct scene *sc, const struct story *s)
{
	const struct attr plain = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID,
		.flags = s->inline_id ? FLAG(HD_ATTR_BUILD_ID) : 0 };
	struct image d = { 0 }, host = { 0 }, release = { 0 }, times = { 0 }, ids = { 0 }, im;
	struct utsname u;
	size_t r = rec(&d, PERF_RECORD_MMAP2, USER | (s->inline_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));

	EXPECT(uname(&u) == 0);
	u32(&d, PID);
	u32(&d, PID);
	u64(&d, 0x700000);
	u64(&d, 0x10000000);
	u64(&d, 0);
	if (s->inline_id) {
		u32(&d, sc->id_len);
		put(&d, sc->id, sizeof(sc->id));
	} else {
		u32(&d, 8);
		u32(&d, 1);
		u64(&d, sc->app_st.st_ino + s->other_inode);
		u64(&d, sc->generation + s->other_generation);
	}
	u32(&d, 5);
	u32(&d, 2);
	text(&d, sc->app, (strlen(sc->app) + 8) & ~(size_t)7);
	end(&d, r);
	r = rec(&d, PERF_RECORD_SAMPLE, USER);
	u64(&d, 0x700000 + (uint64_t)0x1000);
	u32(&d, PID);
	u32(&d, PID);
	u64(&d, 7);
	end(&d, r);
	u32(&host, 65);
	text(&host, s->other_machine ? "elsewhere.example" : u.nodename, 65);
	u32(&release, 65);
	text(&release, u.release, 65);
	u64(&times, SECOND);
	u64(&times, (1 + SPAN_S) * SECOND);
	r = rec(&ids, 0, USER | (1 << 15));
	u32(&ids, PID);
	put(&ids, sc->id, sizeof(sc->id));
	u32(&ids, sc->id_len);
	text(&ids, sc->app, (strlen(sc->app) + 8) & ~(size_t)7);
	end(&ids, r);
	const struct feature features[] = {
		{ HD_FEAT_BUILD_ID, &ids.b }, { HD_FEAT_HOSTNAME, &host.b }, { HD_FEAT_OSRELEASE, &release.b },
		{ HD_FEAT_SAMPLE_TIME, &times.b },
	};
	im = file_image(false, plain, &d.b, features + !s->listed_id, HD_COUNT(features) - !s->listed_id);
	sc->path = put_file(sc->dir, "t.data", im.b.data, im.b.len);
	hd_buf_release(&im.b);
	hd_buf_release(&d.b);
	hd_buf_release(&host.b);
	hd_buf_release(&release.b);
	hd_buf_release(&times.b);
	hd_buf_release(&ids.b);
}

/* Return true if the program's symbols are used; if not, expect the warning.  The bundle must give the same result. */
static bool is_named(struct story s)
{
	struct scene sc = { .dir = tmpdir() };
	struct hd_pipeline_opts opts = { .symfs = s.symfs ? "/" : NULL };
	struct timespec written = { 0 };
	struct hd_err err = { 0 };
	struct hd_profile *p;
	bool warned, named;

	put_app(&sc);
	put_recording(&sc, &s);
	/*
	 * Set the time at which the recording was written: 2 s after the last change of the file, unless the case
	 * needs another time.
	 */
	written.tv_sec = sc.app_st.st_ctim.tv_sec + (s.before ? 200 : s.after ? -5 : 2);
	EXPECT_INT(utimensat(AT_FDCWD, sc.path, (struct timespec[]){ written, written }, 0), 0);
	if (hd_pipeline_read(&p, sc.path, &opts, &err) < 0)
		fail_msg("%s", err.msg);
	expect_sums(p);
	EXPECT_INT(p->recording.nobjects, 1);
	warned = hd_log_find(&p->log, "symbols.replaced");
	named = strcmp(p->recording.objects[0].symbols, "none") != 0;
	EXPECT(warned == !named);
	if (warned) {
		EXPECT_STR(p->recording.objects[0].problem, "the file was replaced during the recording");
		EXPECT(strstr(hd_log_find(&p->log, "symbols.replaced")->fix, "--buildid-mmap"));
	}
	hd_profile_free(p);
	if (!s.symfs)
		expect_law_without(sc.path, opts, (const char *const[]){ sc.app, NULL });
	free(sc.app);
	free(sc.path);
	tmpdir_remove(sc.dir);
	return named;
}

TEST(a_program_that_was_replaced_while_it_was_recorded_gets_no_names)
{
	EXPECT(!is_named((struct story){ .other_inode = true }));
}

TEST(the_new_file_is_not_used_if_the_table_of_build_ids_was_read_from_it)
{
	EXPECT(!is_named((struct story){ .other_inode = true, .listed_id = true }));
}

TEST(an_inode_that_was_used_again_is_known_by_its_generation)
{
	struct scene sc = { .dir = tmpdir() };

	put_app(&sc);
	free(sc.app);
	tmpdir_remove(sc.dir);
	if (!sc.generation)
		SKIP("this file system does not tell generations");
	EXPECT(!is_named((struct story){ .other_generation = true }));
}

TEST(the_build_id_of_the_mapping_itself_decides)
{
	EXPECT(is_named((struct story){ .inline_id = true, .other_inode = true, .listed_id = true }));
}

TEST(another_inode_alone_is_no_reason)
{
	EXPECT(is_named((struct story){ .other_inode = true, .before = true }));
	EXPECT(is_named((struct story){ .other_inode = true, .before = true, .listed_id = true }));
	EXPECT(is_named((struct story){ .other_inode = true, .other_machine = true, .listed_id = true }));
	EXPECT(is_named((struct story){ .other_inode = true, .symfs = true }));
}

TEST(a_changed_time_alone_is_no_replacement)
{
	EXPECT(is_named((struct story){ .listed_id = false }));
	EXPECT(is_named((struct story){ .listed_id = true }));
}

TEST(the_same_build_made_again_after_the_recording_was_written_is_the_same_build)
{
	EXPECT(is_named((struct story){ .other_inode = true, .listed_id = true, .after = true }));
}

TEST_MAIN(RUN(a_program_that_was_replaced_while_it_was_recorded_gets_no_names),
	  RUN(the_new_file_is_not_used_if_the_table_of_build_ids_was_read_from_it),
	  RUN(an_inode_that_was_used_again_is_known_by_its_generation),
	  RUN(the_build_id_of_the_mapping_itself_decides),
	  RUN(another_inode_alone_is_no_reason),
	  RUN(a_changed_time_alone_is_no_replacement),
	  RUN(the_same_build_made_again_after_the_recording_was_written_is_the_same_build))
