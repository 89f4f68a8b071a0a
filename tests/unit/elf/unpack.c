/* unpack.c - read compressed debug sections */
#include "unit/symbols/workshop.h"

#include "elf/debug_section.h"
#include "elf/unpack.h"

#include <fcntl.h>

static void build(void)
{
	put("u.c",
		"struct s { int a, b; };\n"
		"int f(struct s *s) { return s->a + s->b; }\n"
		"int g(struct s *s) { return f(s) * f(s); }\n");
	RUN_SH("$CC -g -O1 -fPIC -shared -nostdlib -gz=none u.c -o u.so");
}

static struct hd_elf *opened(const char *path)
{
	struct hd_elf *e;
	struct hd_err err;

	EXPECT(hd_elf_open(&e, open(path, O_RDONLY | O_CLOEXEC), path, NULL, &err) >= 0);
	return e;
}

static struct hd_elf_section *section(const struct hd_elf *e, const char *name)
{
	for (size_t i = 0; i < e->nsections; i++)
		if (!strcmp(e->sections[i].name, name))
			return &e->sections[i];
	return NULL;
}

/* Return the whole section, or the part of it that can be read, and its size in *n; the caller frees it. */
static uint8_t *contents(const struct hd_elf *e, const char *name, size_t *n)
{
	struct hd_debug_section sec = hd_debug_section_find(e, name);
	uint8_t *bytes = hd_alloc(sec.size);

	*n = hd_debug_section_read(&sec, 0, bytes, sec.size);
	return bytes;
}

static void expect_same(const char *path, const char *packed_name)
{
	struct hd_elf *plain = opened("u.so"), *e = opened(path);
	struct hd_debug_section sec = hd_debug_section_find(e, ".debug_info");
	uint8_t *want, *got, some[4];
	size_t nwant, ngot;

	EXPECT(section(e, packed_name) && !section(e, packed_name)->unpacked);
	got = contents(e, ".debug_info", &ngot);
	want = contents(plain, ".debug_info", &nwant);
	EXPECT(ngot == nwant && nwant > 100 && !memcmp(got, want, nwant));
	EXPECT(section(e, packed_name)->unpacked);
	EXPECT(sec.size == nwant && hd_debug_section_read(&sec, nwant - 3, some, 4) == 3 &&
		!memcmp(some, want + nwant - 3, 3));
	EXPECT(hd_debug_section_read(&sec, nwant, some, 4) == 0);
	free(want);
	free(got);
	hd_elf_close(plain);
	hd_elf_close(e);
}

TEST(a_section_is_unpacked_when_it_is_first_read)
{
	build();
	RUN_SH("objcopy --compress-debug-sections=zlib-gabi u.so z.so");
	expect_same("z.so", ".debug_info");
}

TEST(so_is_one_that_was_packed_the_old_way)
{
	build();
	RUN_SH("objcopy --compress-debug-sections=zlib-gnu u.so old.so");
	expect_same("old.so", ".zdebug_info");
}

TEST(a_section_that_was_packed_by_zstd_is_unpacked)
{
	build();
	TRY_SH("objcopy --compress-debug-sections=zstd u.so zstd.so 2> /dev/null");
	expect_same("zstd.so", ".debug_info");
}

/* Expect an error for z.so with a changed byte in the header (at < 24) or the data of .debug_info. */
static void expect_no_bytes(size_t at, uint8_t change)
{
	struct hd_elf *e = opened("z.so");
	uint64_t off = section(e, ".debug_info")->off;
	struct hd_debug_section sec;
	uint8_t byte;
	int fd;

	hd_elf_close(e);
	RUN_SH("cp z.so broken.so");
	fd = open("broken.so", O_RDWR | O_CLOEXEC);
	EXPECT(pread(fd, &byte, 1, (off_t)(off + at)) == 1);
	byte ^= change;
	EXPECT(pwrite(fd, &byte, 1, (off_t)(off + at)) == 1);
	close(fd);
	e = opened("broken.so");
	sec = hd_debug_section_find(e, ".debug_info");
	EXPECT(hd_debug_section_read(&sec, 0, &byte, 1) == 0);
	EXPECT(!hd_debug_section_memory(&sec) && !section(e, ".debug_info")->unpacked);
	hd_elf_close(e);
}

TEST(one_that_is_not_what_it_claims_has_no_bytes)
{
	build();
	RUN_SH("objcopy --compress-debug-sections=zlib-gabi u.so z.so");
	expect_no_bytes(0, 0x40);		/* an unknown compression method */
	expect_no_bytes(8, 0x01);		/* the declared size is wrong by one byte */
	expect_no_bytes(15, 0x40);		/* a declared size far beyond what the data can expand to */
	expect_no_bytes(24, 0x0f);		/* an invalid zlib header */
	expect_no_bytes(40, 0xff);		/* damaged compressed data */
}

TEST(a_section_too_short_for_its_header_is_none)
{
	struct hd_elf *e;
	struct hd_err err;
	uint64_t size;

	build();
	put("bit", "ZLIB");
	RUN_SH("objcopy -R .debug_info --add-section .zdebug_info=bit u.so short.so");
	e = opened("short.so");
	EXPECT(hd_debug_section_find(e, ".debug_info").size == 0);
	EXPECT(hd_unpack_size(e, section(e, ".zdebug_info"), &size, &err) == HD_EFORMAT);
	EXPECT_STR(err.msg, "`.zdebug_info` is too short for a compressed section");
	hd_elf_close(e);
}

WORKSHOP_MAIN(
	RUN(a_section_is_unpacked_when_it_is_first_read),
	RUN(so_is_one_that_was_packed_the_old_way), RUN(a_section_that_was_packed_by_zstd_is_unpacked),
	RUN(one_that_is_not_what_it_claims_has_no_bytes),
	RUN(a_section_too_short_for_its_header_is_none),
)
