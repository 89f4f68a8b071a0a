#include "test.h"

#include "base/gunzip.h"
#include "render/gzip.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int file_of(const void *p, size_t n)
{
	int fd = memfd_create("gunzip", MFD_CLOEXEC);

	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, p, n), n);
	return fd;
}

/*
 * Read the whole stream, `step` bytes at a time, and return its contents, which the caller releases.  *damage and
 * *offset receive the results of hd_gunzip_damage().
 */
static struct hd_buf unpack(const void *p, size_t n, size_t step, const char **damage, uint64_t *offset)
{
	int fd = file_of(p, n);
	struct hd_gunzip *z = hd_gunzip_new(fd, "in.gz");
	struct hd_buf out = { 0 };
	ssize_t got;

	do {
		got = hd_gunzip_read(z, hd_buf_reserve(&out, step), step, NULL);
		EXPECT(got >= 0);
		out.len += (size_t)got;
	} while ((size_t)got == step);
	*damage = hd_gunzip_damage(z, offset);
	hd_gunzip_free(z);
	close(fd);
	return out;
}

static char big[300000];
static struct hd_buf packed;

static int pack(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)("{\"ts\": 0123456789}, "[i % 20] + (i % 977 == 0));
	hd_gzip(&packed, big, sizeof(big));
	return 0;
}

static int release(void **state)
{
	(void)state;
	hd_buf_release(&packed);
	return 0;
}

static void expect(struct hd_buf out, const void *p, size_t n)
{
	EXPECT_INT(out.len, n);
	EXPECT_MEM(hd_buf_str(&out), p, n);
	hd_buf_release(&out);
}

TEST(a_gzipped_file_is_its_content_whatever_the_step)
{
	static const size_t steps[] = { 1000, 65536, 1 << 20 };
	const char *damage;
	uint64_t at;

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		expect(unpack(packed.data, packed.len, steps[i], &damage, &at), big, sizeof(big));
		EXPECT(!damage);
	}
}

TEST(any_other_file_is_read_as_it_is)
{
	const char *damage;
	uint64_t at;

	expect(unpack("{\"a\": 1}", 8, 3, &damage, &at), "{\"a\": 1}", 8);
	EXPECT(!damage);
	expect(unpack("", 0, 3, &damage, &at), "", 0);
	EXPECT(!damage);
}

TEST(members_that_follow_one_another_are_one_stream)
{
	struct hd_buf both = { 0 };
	const char *damage;
	uint64_t at;

	hd_gzip(&both, "one", 3);
	hd_gzip(&both, "two", 3);
	hd_buf_add(&both, "\0\0\0", 3);	/* zeros after the last member are padding */
	expect(unpack(both.data, both.len, 100, &damage, &at), "onetwo", 6);
	EXPECT(!damage);
	hd_buf_adds(&both, "junk");
	expect(unpack(both.data, both.len, 100, &damage, &at), "onetwo", 6);
	EXPECT_STR(damage, "something else follows the packed data");
	EXPECT_INT(at, both.len - 4);
	hd_buf_release(&both);
}

TEST(a_cut_file_gives_what_is_there)
{
	const char *damage;
	struct hd_buf out;
	uint64_t at;

	out = unpack(packed.data, packed.len / 2, 4096, &damage, &at);
	EXPECT(out.len > 0 && out.len < sizeof(big));
	EXPECT_MEM(out.data, big, out.len);
	EXPECT_STR(damage, "the packed data end too early");
	EXPECT_INT(at, packed.len / 2);
	hd_buf_release(&out);
}

TEST(a_wrong_checksum_is_damage)
{
	char *copy = malloc(packed.len);
	const char *damage;
	uint64_t at;

	memcpy(copy, packed.data, packed.len);
	copy[packed.len - 6] ^= 1;
	expect(unpack(copy, packed.len, 1 << 20, &damage, &at), big, sizeof(big));
	EXPECT_STR(damage, "the packed data are damaged");
	free(copy);
}

TEST(the_head_of_a_gzipped_file_shows_the_first_bytes_of_its_content)
{
	char out[64];

	EXPECT(hd_gunzip_is(packed.data, packed.len));
	EXPECT(!hd_gunzip_is("{}", 2));
	EXPECT_INT(hd_gunzip_head(packed.data, packed.len, out, sizeof(out)), sizeof(out));
	EXPECT_MEM(out, big, sizeof(out));
	EXPECT_INT(hd_gunzip_head("\x1f\x8b\x08", 3, out, sizeof(out)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RUN(a_gzipped_file_is_its_content_whatever_the_step), RUN(any_other_file_is_read_as_it_is),
		RUN(members_that_follow_one_another_are_one_stream), RUN(a_cut_file_gives_what_is_there),
		RUN(a_wrong_checksum_is_damage),
		RUN(the_head_of_a_gzipped_file_shows_the_first_bytes_of_its_content),
	};

	return cmocka_run_group_tests_name(__FILE__, tests, pack, release);
}
