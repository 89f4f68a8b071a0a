/* pipeline.c - detect the format of an input by its first bytes, for files and pipes */
#include "recording.h"

#include <zlib.h>

static int read_path(struct hd_profile **p, const char *path, bool strict, struct hd_err *err)
{
	struct hd_pipeline_opts opts = { .no_symbols = true, .strict = strict };

	return hd_pipeline_read(p, path, &opts, err);
}

/* Expect that a file of n bytes is rejected with this message after its path. */
static void expect_refused(const char *bytes, size_t n, const char *sentence)
{
	char *dir = tmpdir(), *path = put_file(dir, "input", bytes, n);
	struct hd_buf want = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	EXPECT_INT(read_path(&p, path, false, &err), HD_EFORMAT);
	hd_buf_addf(&want, "%s%s", path, sentence);
	EXPECT_STR(err.msg, want.data);
	hd_buf_release(&want);
	hd_profile_free(p);
	free(path);
	tmpdir_remove(dir);
}

static const char neither[] =
	": is neither perf.data (magic PERFILE2 at offset 0) nor a bundle nor a heap recording nor a GPU capture nor "
	"a profile of pprof, speedscope, callgrind or perf script nor folded stacks (`frame;frame COUNT` lines)";

TEST(the_first_bytes_tell_what_it_is_and_not_the_name)
{
	struct image im = side_band();
	char *dir = tmpdir(), *folded = put_file(dir, "perf.data", "a;b 5\n", 6), *perf;
	struct hd_profile *p;
	struct hd_err err;

	five_samples(&im);
	perf = put_file(dir, "stacks.folded", im.b.data, im.b.len);
	EXPECT_INT(read_path(&p, folded, false, &err), 0);
	EXPECT_STR(p->recording.format, "folded");
	EXPECT_STR(p->recording.path, folded);
	hd_profile_free(p);
	EXPECT_INT(read_path(&p, perf, false, &err), 0);
	EXPECT_STR(p->recording.format, "perf.data");
	EXPECT_STR(p->recording.path, perf);
	EXPECT_INT(p->kept, 5);
	hd_profile_free(p);
	free(folded);
	free(perf);
	tmpdir_remove(dir);
	hd_buf_release(&im.b);
}

TEST(an_empty_file_says_that_it_is_empty)
{
	expect_refused("", 0, ": is empty; nothing was recorded into it");
}

TEST(an_unknown_input_is_rejected_with_the_list_of_known_formats)
{
	expect_refused("hello, world\n", 13, neither);
	expect_refused("PERFILE", 7, neither);
	expect_refused("\177ELF\2\1\1\0\0\0\0\0\0\0\0\0", 16, neither);
	expect_refused("\0", 1, neither);
}

/* A flamegraph is not read from gzip. */
TEST(a_packed_file_whose_reader_does_not_unpack_is_rejected_with_the_fix)
{
	static const char svg[] = "<?xml version=\"1.0\"?>\n<svg class=\"hd-flame\">\n</svg>\n";
	unsigned char packed[256];
	z_stream z = { .next_in = (unsigned char *)svg, .avail_in = sizeof(svg) - 1, .next_out = packed,
		       .avail_out = sizeof(packed) };

	EXPECT_INT(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	EXPECT_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
	expect_refused((char *)packed, z.total_out, ": is compressed with gzip, which hotdrift does not read in this "
		"format; decompress it first, with gunzip");
	deflateEnd(&z);
}

TEST(a_file_that_is_not_there_is_bad_input_with_an_empty_profile)
{
	struct hd_profile *p = NULL;
	struct hd_err err;

	EXPECT_INT(read_path(&p, "/nonexistent/t.data", false, &err), HD_EFORMAT);
	EXPECT(p && p->read == 0);
	hd_profile_free(p);
}

TEST(a_selection_that_is_misspelt_is_said_before_anything_is_read)
{
	struct hd_pipeline_opts opts = { .select.time = "now" };
	struct hd_profile *p;
	struct hd_err err;

	EXPECT_INT(hd_pipeline_read(&p, "/nonexistent/t.data", &opts, &err), HD_EUSAGE);
	EXPECT_STR(err.msg, "--time takes A,B in seconds of the recording's clock, not 'now'");
	hd_profile_free(p);
}

TEST(a_folder_without_a_recording_is_bad_input)
{
	char *dir = tmpdir();
	struct hd_profile *p;
	struct hd_err err;

	EXPECT_INT(read_path(&p, dir, false, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, dir) == err.msg);
	hd_profile_free(p);
	tmpdir_remove(dir);
}

TEST(a_first_line_longer_than_what_is_sniffed_is_still_folded_text)
{
	struct hd_buf b = { 0 };
	char *dir = tmpdir(), *path;
	struct hd_profile *p;
	struct hd_err err;

	while (b.len < 200000)
		hd_buf_adds(&b, "some::deep::recursion(int);");
	hd_buf_adds(&b, "leaf 5\n");
	path = put_file(dir, "deep", b.data, b.len);
	EXPECT_INT(read_path(&p, path, true, &err), 0);
	EXPECT_INT(p->events[0].weight, 5);
	hd_profile_free(p);
	free(path);
	tmpdir_remove(dir);
	hd_buf_release(&b);
}

TEST(strict_makes_a_skipped_line_an_error_that_names_it)
{
	char *dir = tmpdir(), *path = put_file(dir, "f", "a;b 5\nnonsense\n", 15);
	struct hd_buf want = { 0 };
	struct hd_profile *p;
	struct hd_err err;

	EXPECT_INT(read_path(&p, path, false, &err), 0);
	EXPECT_INT(p->kept, 1);
	hd_profile_free(p);
	EXPECT_INT(read_path(&p, path, true, &err), HD_EFORMAT);
	hd_buf_addf(&want, "%s: line 2 does not end in a 64-bit count and was skipped (--strict)", path);
	EXPECT_STR(err.msg, want.data);
	EXPECT(hd_log_find(&p->log, "lost.folded-line") != NULL);
	hd_profile_free(p);
	hd_buf_release(&want);
	free(path);
	tmpdir_remove(dir);
}

TEST(decimals_that_are_dropped_are_no_damage)
{
	char *dir = tmpdir(), *path = put_file(dir, "f", "a;b 5.5\n", 8);
	struct hd_profile *p;
	struct hd_err err;

	EXPECT_INT(read_path(&p, path, true, &err), 0);
	EXPECT_INT(p->log.n, 1);
	hd_profile_free(p);
	free(path);
	tmpdir_remove(dir);
}

/* Read a profile from standard input, a pipe with these bytes (which must fit into the pipe's buffer). */
static struct hd_profile *from_pipe(const char *bytes, size_t n)
{
	int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3), ends[2], rc;
	struct hd_profile *p;
	struct hd_err err = { 0 };

	EXPECT(pipe(ends) == 0);
	EXPECT(write(ends[1], bytes, n) == (ssize_t)n);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	rc = read_path(&p, "-", false, &err);
	dup2(saved, STDIN_FILENO);
	close(saved);
	if (rc < 0)
		fail_msg("%s", err.msg);
	return p;
}

TEST(standard_input_may_be_either)
{
	struct image im = side_band();
	struct hd_profile *p = from_pipe("a;b 5\n", 6);

	EXPECT_STR(p->recording.format, "folded");
	EXPECT_STR(p->recording.path, "-");
	EXPECT_INT(p->events[0].weight, 5);
	hd_profile_free(p);
	five_samples(&im);
	p = from_pipe(im.b.data, im.b.len);
	EXPECT_STR(p->recording.format, "perf.data");
	EXPECT_INT(p->recording.bytes, im.b.len);
	EXPECT_INT(p->kept, 5);
	hd_profile_free(p);
	hd_buf_release(&im.b);
}

TEST(a_fifo_is_read_like_a_file)
{
	char *dir = tmpdir(), *path = in_dir(dir, "fifo");
	struct hd_profile *p;
	struct hd_err err;
	int fd;
	pid_t pid;

	EXPECT(mkfifo(path, 0600) == 0);
	pid = fork();
	EXPECT(pid >= 0);
	if (pid == 0) {
		fd = open(path, O_WRONLY);
		_exit(write(fd, "a;b 5\n", 6) != 6);
	}
	EXPECT_INT(read_path(&p, path, false, &err), 0);
	EXPECT(waitpid(pid, NULL, 0) == pid);
	EXPECT_INT(p->events[0].weight, 5);
	hd_profile_free(p);
	free(path);
	tmpdir_remove(dir);
}

TEST_MAIN(RUN(the_first_bytes_tell_what_it_is_and_not_the_name),
	  RUN(an_empty_file_says_that_it_is_empty),
	  RUN(an_unknown_input_is_rejected_with_the_list_of_known_formats),
	  RUN(a_packed_file_whose_reader_does_not_unpack_is_rejected_with_the_fix),
	  RUN(a_file_that_is_not_there_is_bad_input_with_an_empty_profile),
	  RUN(a_selection_that_is_misspelt_is_said_before_anything_is_read),
	  RUN(a_folder_without_a_recording_is_bad_input),
	  RUN(a_first_line_longer_than_what_is_sniffed_is_still_folded_text),
	  RUN(strict_makes_a_skipped_line_an_error_that_names_it),
	  RUN(decimals_that_are_dropped_are_no_damage),
	  RUN(standard_input_may_be_either),
	  RUN(a_fifo_is_read_like_a_file))
