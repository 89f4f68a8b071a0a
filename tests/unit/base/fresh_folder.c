/* fresh_folder.c - a folder appears with all of its files, and only one process at a time writes it */
#include "unit/tmpdir.h"

#include "base/fresh_folder.h"

static void put(const char *dir, const char *name, const char *text)
{
	free(put_file(dir, name, text, strlen(text)));
}

static void begin(struct hd_fresh_folder *f, const char *dir)
{
	struct hd_err err;

	EXPECT_INT(hd_fresh_folder_begin(f, dir, "x", &err), 0);
}

static void publish(struct hd_fresh_folder *f)
{
	struct hd_err err;

	EXPECT_INT(hd_fresh_folder_publish(f, &err), 0);
}

TEST(a_folder_has_its_name_when_it_is_published_and_not_before)
{
	char *dir = tmpdir(), *x = in_dir(dir, "x"), *a = in_dir(x, "a");
	struct hd_fresh_folder f;

	begin(&f, dir);
	put(f.path, "a", "1");
	EXPECT(access(x, F_OK) < 0);
	publish(&f);
	expect_file(a, "1");
	EXPECT_INT(entries(dir), 1);
	hd_fresh_folder_discard(&f);
	expect_file(a, "1");
	free(x);
	free(a);
	tmpdir_remove(dir);
}

TEST(an_existing_folder_is_replaced_with_all_of_its_files)
{
	char *dir = tmpdir(), *x = in_dir(dir, "x"), *a = in_dir(x, "a");
	struct hd_fresh_folder f;

	begin(&f, dir);
	put(f.path, "a", "1");
	put(f.path, "b", "1");
	publish(&f);
	begin(&f, dir);
	put(f.path, "a", "2");
	expect_file(a, "1");
	publish(&f);
	expect_file(a, "2");
	EXPECT_INT(entries(x), 1);
	EXPECT_INT(entries(dir), 1);
	free(x);
	free(a);
	tmpdir_remove(dir);
}

TEST(a_discarded_folder_leaves_nothing_and_the_old_one_stays)
{
	char *dir = tmpdir(), *x = in_dir(dir, "x"), *a = in_dir(x, "a");
	struct hd_fresh_folder f;

	begin(&f, dir);
	put(f.path, "a", "1");
	publish(&f);
	begin(&f, dir);
	put(f.path, "a", "2");
	hd_fresh_folder_discard(&f);
	hd_fresh_folder_discard(&f);
	expect_file(a, "1");
	EXPECT_INT(entries(dir), 1);
	free(x);
	free(a);
	tmpdir_remove(dir);
}

TEST(a_folder_that_is_being_written_cannot_be_begun_a_second_time)
{
	char *dir = tmpdir();
	struct hd_fresh_folder f, second;
	struct hd_err err;

	begin(&f, dir);
	EXPECT_INT(hd_fresh_folder_begin(&second, dir, "x", &err), 1);
	EXPECT_INT(hd_fresh_folder_begin(&second, dir, "y", &err), 0);
	hd_fresh_folder_discard(&second);
	hd_fresh_folder_discard(&f);
	begin(&second, dir);
	hd_fresh_folder_discard(&second);
	tmpdir_remove(dir);
}

/* Write a file into the new folder and return 0 without hd_fresh_folder_discard(), as if the process was killed. */
static int end_in_the_middle(void *dir)
{
	struct hd_fresh_folder f;
	struct hd_err err;

	if (hd_fresh_folder_begin(&f, dir, "x", &err))
		return 1;
	put(f.path, "leftover", "1");
	return 0;
}

TEST(what_a_killed_process_left_is_removed_by_the_next_one)
{
	char *dir = tmpdir(), *x = in_dir(dir, "x");
	struct hd_fresh_folder f;

	EXPECT_INT(in_child(end_in_the_middle, dir), 0);
	EXPECT_INT(entries(dir), 1);
	begin(&f, dir);
	put(f.path, "a", "1");
	publish(&f);
	EXPECT_INT(entries(dir), 1);
	EXPECT_INT(entries(x), 1);
	free(x);
	tmpdir_remove(dir);
}

TEST(a_file_in_the_place_of_the_folder_stays)
{
	char *dir = tmpdir(), *x = put_file(dir, "x", "mine", 4);
	struct hd_fresh_folder f;
	struct hd_err err;

	begin(&f, dir);
	EXPECT_INT(hd_fresh_folder_publish(&f, &err), HD_EIO);
	EXPECT(strstr(err.msg, "which is not a folder") != NULL);
	hd_fresh_folder_discard(&f);
	expect_file(x, "mine");
	EXPECT_INT(entries(dir), 1);
	free(x);
	tmpdir_remove(dir);
}

TEST(a_link_in_the_place_of_the_temporary_folder_is_not_followed)
{
	char *dir = tmpdir(), *other = tmpdir(), *tmp = in_dir(dir, ".x.tmp");
	struct hd_fresh_folder f;
	struct hd_err err;

	put(other, "mine", "1");
	EXPECT(symlink(other, tmp) == 0);
	EXPECT_INT(hd_fresh_folder_begin(&f, dir, "x", &err), HD_EIO);
	EXPECT_INT(entries(other), 1);
	free(tmp);
	tmpdir_remove(dir);
	tmpdir_remove(other);
}

TEST_MAIN(RUN(a_folder_has_its_name_when_it_is_published_and_not_before),
	  RUN(an_existing_folder_is_replaced_with_all_of_its_files),
	  RUN(a_discarded_folder_leaves_nothing_and_the_old_one_stays),
	  RUN(a_folder_that_is_being_written_cannot_be_begun_a_second_time),
	  RUN(what_a_killed_process_left_is_removed_by_the_next_one),
	  RUN(a_file_in_the_place_of_the_folder_stays),
	  RUN(a_link_in_the_place_of_the_temporary_folder_is_not_followed))
