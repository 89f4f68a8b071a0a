/* job_list.c - read the paths of a batch, select slices of them, and name their output folders */
#include "unit/tmpdir.h"

#include "cli/job_list.h"

static int read_list(struct hd_string_list *paths, struct hd_buf *text, const void *bytes, size_t n, bool null,
	struct hd_err *err)
{
	char *dir = tmpdir(), *path = put_file(dir, "list", bytes, n);
	int rc = hd_job_list_read(paths, text, path, null, err);

	free(path);
	tmpdir_remove(dir);
	return rc;
}

TEST(a_list_has_one_path_a_line_and_changes_none)
{
	static const char bytes[] = "a.data\n\n-b\n c\r\nlast";
	struct hd_string_list paths = { 0 };
	struct hd_buf text = { 0 };
	struct hd_err err;

	EXPECT_INT(read_list(&paths, &text, bytes, sizeof(bytes) - 1, false, &err), 0);
	EXPECT_INT(paths.n, 4);
	EXPECT_STR(paths.items[0], "a.data");
	EXPECT_STR(paths.items[1], "-b");
	EXPECT_STR(paths.items[2], " c\r");
	EXPECT_STR(paths.items[3], "last");
	free(paths.items);
	hd_buf_release(&text);
}

TEST(a_list_with_zero_bytes_may_have_line_feeds_in_its_paths)
{
	static const char bytes[] = "a\nb\0c\0";
	struct hd_string_list paths = { 0 };
	struct hd_buf text = { 0 };
	struct hd_err err;

	EXPECT_INT(read_list(&paths, &text, bytes, sizeof(bytes) - 1, true, &err), 0);
	EXPECT_INT(paths.n, 2);
	EXPECT_STR(paths.items[0], "a\nb");
	EXPECT_STR(paths.items[1], "c");
	free(paths.items);
	hd_buf_release(&text);
}

TEST(an_empty_list_is_no_error_and_a_zero_byte_between_lines_is_one)
{
	struct hd_string_list paths = { 0 };
	struct hd_buf text = { 0 };
	struct hd_err err;

	EXPECT_INT(read_list(&paths, &text, "", 0, false, &err), 0);
	EXPECT_INT(read_list(&paths, &text, "\n\n", 2, false, &err), 0);
	EXPECT_INT(paths.n, 0);
	hd_buf_release(&text);
	EXPECT_INT(read_list(&paths, &text, "ab\0c\n", 5, false, &err), HD_EFORMAT);
	EXPECT(strstr(err.msg, "zero byte at offset 2") != NULL);
	free(paths.items);
	hd_buf_release(&text);
	EXPECT_INT(hd_job_list_read(&paths, &text, "/nonexistent/list", false, &err), HD_EFORMAT);
	hd_buf_release(&text);
}

TEST(each_job_is_in_exactly_one_slice)
{
	const char *all[] = { "a", "b", "c", "d", "e", "f", "g" };
	char which[16];
	struct hd_err err;

	for (int slices = 1; slices <= 9; slices++) {
		char seen[8] = "";
		size_t n = 0;

		for (int i = 1; i <= slices; i++) {
			const char *items[HD_COUNT(all)];
			struct hd_string_list paths = { items, HD_COUNT(all), HD_COUNT(all) };

			memcpy(items, all, sizeof(all));
			snprintf(which, sizeof(which), "%d/%d", i, slices);
			EXPECT_INT(hd_job_list_slice(&paths, which, &err), 0);
			for (size_t k = 0; k < paths.n; k++, n++) {
				EXPECT(n < HD_COUNT(all));
				EXPECT(!strchr(seen, *paths.items[k]));
				seen[n] = *paths.items[k];
			}
		}
		EXPECT_INT(n, HD_COUNT(all));
	}
}

TEST(a_slice_is_two_numbers_of_which_the_first_is_not_the_larger_one)
{
	static const char *const bad[] = { "", "/", "1", "1/", "/1", "0/1", "2/1", "1/0", "-1/2", "1/2x", "1/2/3",
		" 1/2", "1 /2", "4294967297/4294967297", "99999999999999999999/1" };
	struct hd_string_list paths = { 0 };
	struct hd_err err;

	for (size_t i = 0; i < HD_COUNT(bad); i++)
		EXPECT_INT(hd_job_list_slice(&paths, bad[i], &err), HD_EUSAGE);
	EXPECT_INT(hd_job_list_slice(&paths, "999999999/999999999", &err), 0);
}

static char *name_of(const char *path)
{
	struct hd_buf out = { 0 };

	hd_job_output_name(&out, path);
	return hd_buf_take(&out);
}

TEST(an_output_name_ends_with_digits_of_the_sha_256_of_the_path)
{
	char *name = name_of("runs/1/perf.data");

	/* printf %s runs/1/perf.data | sha256sum */
	EXPECT_STR(name, "runs_1_perf.data-a1b678ebea0643b3d4804ab966be4b10");
	free(name);
}

TEST(different_paths_have_different_names_and_no_character_that_could_harm)
{
	static const char *const paths[] = { "a/b", "a_b", "./a/b", "a//b", "-a", ".a", "..", "a\nb", "a b", "a\tb",
		"$a", "\xff", "\xfe", "/", "~", "-", "" };
	char *names[HD_COUNT(paths)];

	for (size_t i = 0; i < HD_COUNT(paths); i++) {
		names[i] = name_of(paths[i]);
		EXPECT(strspn(names[i], "abcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(names[i]));
		EXPECT(names[i][0] != '.' && names[i][0] != '-');
		for (size_t k = 0; k < i; k++)
			EXPECT(strcmp(names[i], names[k]) != 0);
	}
	for (size_t i = 0; i < HD_COUNT(paths); i++)
		free(names[i]);
}

TEST(a_long_path_gives_a_name_that_a_file_system_accepts)
{
	char path[4096], *name, *other;

	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	name = name_of(path);
	path[0] = 'b';
	other = name_of(path);
	EXPECT_INT(strlen(name), 93);
	EXPECT(strcmp(name, other) != 0);
	free(name);
	free(other);
}

TEST_MAIN(RUN(a_list_has_one_path_a_line_and_changes_none),
	  RUN(a_list_with_zero_bytes_may_have_line_feeds_in_its_paths),
	  RUN(an_empty_list_is_no_error_and_a_zero_byte_between_lines_is_one),
	  RUN(each_job_is_in_exactly_one_slice),
	  RUN(a_slice_is_two_numbers_of_which_the_first_is_not_the_larger_one),
	  RUN(an_output_name_ends_with_digits_of_the_sha_256_of_the_path),
	  RUN(different_paths_have_different_names_and_no_character_that_could_harm),
	  RUN(a_long_path_gives_a_name_that_a_file_system_accepts))
