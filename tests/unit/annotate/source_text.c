/* source_text.c - what is reported about a source file that cannot be read */
#include "unit/tmpdir.h"

#include "annotate/source_text.h"

/* Runs without root privileges, to which no file is unreadable.  Returns 0 if the message has both problems. */
static int read_unreadable(void *dir)
{
	const char *folders[] = { dir };
	struct hd_annotate_opts opts = { .source_prefix = { .items = folders, .n = 1 } };
	struct hd_source_query q = { .opts = &opts };
	struct hd_annotation_file f = { .path = "a.c" };
	struct hd_arena arena = { 0 };
	int rc = 0;

	if (!drop_rights())
		return 1;
	hd_source_text_read(&f, &q, &arena);
	if (!f.problem || !strstr(f.problem, "Permission denied; its path is relative; name its folder with")) {
		print_message("%s\n", f.problem ? f.problem : "no problem");
		rc = 2;
	}
	hd_arena_release(&arena);
	return rc;
}

TEST(an_unreadable_file_and_a_relative_path_are_two_problems_in_one_message)
{
	char *dir = tmpdir(), *file = put_file(dir, "a.c", "int a;\n", 7);

	EXPECT_INT(chmod(file, 0), 0);
	EXPECT_INT(in_child(read_unreadable, dir), 0);
	free(file);
	tmpdir_remove(dir);
}

TEST_MAIN(RUN(an_unreadable_file_and_a_relative_path_are_two_problems_in_one_message))
