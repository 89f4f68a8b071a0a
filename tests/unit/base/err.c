/* err.c - each code has one message form and one exit status */
#include "test.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>

TEST(failing_writes_the_sentence_and_returns_the_code)
{
	struct hd_err err;

	EXPECT_INT(hd_fail(&err, HD_EFORMAT, "record at 0x%x: size %u is impossible", 8, 6), HD_EFORMAT);
	EXPECT_INT(err.code, HD_EFORMAT);
	EXPECT_STR(err.msg, "record at 0x8: size 6 is impossible");
}

TEST(a_system_error_is_said_behind_the_sentence)
{
	struct hd_err err;

	EXPECT_INT(hd_fail_errno(&err, HD_EIO, ENOENT, "%s: cannot open", "a.data"), HD_EIO);
	EXPECT_STR(err.msg, "a.data: cannot open: No such file or directory");
}

TEST(who_does_not_ask_for_the_sentence_still_gets_the_code)
{
	EXPECT_INT(hd_fail(NULL, HD_EUSAGE, "%s", "nobody reads this"), HD_EUSAGE);
	EXPECT_INT(hd_fail_errno(NULL, HD_EIO, EIO, "%s", "nor this"), HD_EIO);
}

TEST(a_sentence_longer_than_its_room_is_cut_and_ends)
{
	char name[4096];
	struct hd_err err;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	hd_fail(&err, HD_EFORMAT, "%s", name);
	EXPECT_INT(strlen(err.msg), sizeof(err.msg) - 1);
	hd_fail_errno(&err, HD_EIO, EIO, "%s", name);
	EXPECT_INT(strlen(err.msg), sizeof(err.msg) - 1);
}

TEST(the_codes_are_the_exit_statuses)
{
	EXPECT_INT(hd_exit_status(HD_OK), 0);
	EXPECT_INT(hd_exit_status(17), 0);
	EXPECT_INT(hd_exit_status(HD_ENO), 1);
	EXPECT_INT(hd_exit_status(HD_EUSAGE), 2);
	EXPECT_INT(hd_exit_status(HD_EUNSURE), 3);
	EXPECT_INT(hd_exit_status(HD_ENOBASE), 4);
	EXPECT_INT(hd_exit_status(HD_EFORMAT), 5);
	EXPECT_INT(hd_exit_status(HD_EIO), 6);
}

TEST(a_code_that_nobody_defined_is_trouble)
{
	EXPECT_INT(hd_exit_status(-7), 6);
	EXPECT_INT(hd_exit_status(-1000), 6);
}

TEST_MAIN(RUN(failing_writes_the_sentence_and_returns_the_code),
	  RUN(a_system_error_is_said_behind_the_sentence),
	  RUN(who_does_not_ask_for_the_sentence_still_gets_the_code),
	  RUN(a_sentence_longer_than_its_room_is_cut_and_ends),
	  RUN(the_codes_are_the_exit_statuses),
	  RUN(a_code_that_nobody_defined_is_trouble))
