/* embedded_symbols.c - read symbol tables and call chains that are stored inside a recording */
#include "unit/perfdata/synthetic_recording.h"

#include "base/mem.h"
#include "perfdata/embedded_symbols.h"

enum { KERNEL_SYMBOL = 32769, DSO, SYMBOL, SPLIT, SPLIT_END, EVENT_ID };

static const struct attr plain = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID |
		PERF_SAMPLE_CALLCHAIN };

/* Append a text with its NUL. */
static void name(struct image *im, const char *s)
{
	text(im, s, strlen(s) + 1);
}

/* Begin a row or message with a u32 size in front; finish() fills in the size. */
static size_t sized(struct image *im)
{
	u32(im, 0);
	return im->b.len;
}

static void finish(struct image *im, size_t at)
{
	uint32_t n = (uint32_t)(im->b.len - at);

	n = im->swap ? __builtin_bswap32(n) : n;
	memcpy(im->b.data + at - 4, &n, 4);
}

/* Append a text as hiperf stores it: a u32 length that includes the NUL, then the bytes and the NUL. */
static void counted(struct image *im, const char *s)
{
	u32(im, (uint32_t)strlen(s) + 1);
	name(im, s);
}

static void v1_file(struct image *im, const char *path, uint32_t type, uint64_t vaddr)
{
	name(im, path);
	u32(im, type);
	u64(im, vaddr);
	u32(im, 2);
	u64(im, vaddr + 0x10);
	u32(im, 0x20);
	name(im, "first");
	u64(im, vaddr + 0x40);
	u32(im, 0);
	name(im, "second");
}

/* Read the symbols of an image that has only these sections. */
static const struct hd_embedded_symbols *carried_of(struct image *im, bool swap, const struct feature *f, size_t nf)
{
	struct image data = { .swap = swap };

	end(&data, rec(&data, HD_RT_FINISHED_ROUND, 0));
	*im = file_image(swap, plain, &data.b, f, nf);
	hd_buf_release(&data.b);
	EXPECT_INT(open_image(im), 0);
	walk(im);
	return hd_perf_embedded_symbols(im->pf);
}

static void expect_file(const struct hd_embedded_symbols *c, size_t i, enum hd_embedded_kind kind, const char *path,
	size_t n)
{
	EXPECT(i < c->nfiles);
	EXPECT_INT(c->files[i].kind, kind);
	EXPECT_STR(hd_embedded_str(c, c->files[i].path), path);
	EXPECT_INT(c->files[i].n, n);
}

static void expect_symbol(const struct hd_embedded_symbols *c, size_t file, size_t i, uint64_t start, uint64_t size,
	const char *want)
{
	const struct hd_embedded_symbol *s = &c->symbols[c->files[file].first + i];

	EXPECT_INT(s->start, start);
	EXPECT_INT(s->size, size);
	EXPECT_STR(hd_embedded_str(c, s->name), want);
}

static void file_section(struct image *s, bool swap)
{
	size_t at;

	*s = (struct image){ .swap = swap };
	at = sized(s);
	v1_file(s, "/lib/a.so", 2, 0x1000);
	u64(s, 0xf00);
	finish(s, at);
	at = sized(s);
	v1_file(s, "[kernel.kallsyms]", 0, 0xffff000000000000u);
	finish(s, at);
	at = sized(s);
	name(s, "/lib/empty.so");
	u32(s, 2);
	u64(s, 0);
	u32(s, 0);
	finish(s, at);
	at = sized(s);
	v1_file(s, "x.vdex", 3, 0);
	u32(s, 1);
	u64(s, 0x28);
	finish(s, at);
	at = sized(s);
	v1_file(s, "perf.data_jit_app_cache:1-2", 2, 0x9c000000);
	finish(s, at);
}

TEST(files_of_simpleperf_have_symbols_a_kind_and_a_place_in_either_byte_order)
{
	for (int swap = 0; swap < 2; swap++) {
		struct image s, im;
		const struct hd_embedded_symbols *c;

		file_section(&s, swap);
		c = carried_of(&im, swap, &(struct feature){ HD_FEAT_SP_FILE, &s.b }, 1);
		EXPECT_INT(im.log.n, 0);
		EXPECT_INT(c->nfiles, 4);		/* an empty entry is skipped */
		expect_file(c, 0, HD_EMBEDDED_KIND_FILE, "/lib/a.so", 2);
		EXPECT(c->files[0].has_foff);
		EXPECT_INT(c->files[0].foff, 0xf00);
		EXPECT_INT(c->files[0].vaddr, 0x1000);
		expect_symbol(c, 0, 0, 0x1010, 0x20, "first");
		expect_symbol(c, 0, 1, 0x1040, 0, "second");
		expect_file(c, 1, HD_EMBEDDED_KIND_KERNEL, "[kernel.kallsyms]", 2);
		expect_file(c, 2, HD_EMBEDDED_KIND_OFFSET, "x.vdex", 2);
		expect_file(c, 3, HD_EMBEDDED_KIND_ADDRESS, "perf.data_jit_app_cache:1-2", 2);
		EXPECT(!c->files[3].has_foff);
		release(&im);
		hd_buf_release(&s.b);
	}
}

TEST(a_file_section_cut_anywhere_keeps_what_came_before_and_says_so)
{
	struct image s, im;

	file_section(&s, false);
	for (size_t n = 1; n < s.b.len; n++) {
		struct hd_buf part = { .data = s.b.data, .len = n };
		const struct hd_embedded_symbols *c = carried_of(&im, false,
			&(struct feature){ HD_FEAT_SP_FILE, &part }, 1);

		EXPECT(c->nfiles <= 4);
		for (size_t i = 0; i < c->nsymbols; i++)
			EXPECT(c->symbols[i].file < c->nfiles && c->symbols[i].name < c->names.len);
		EXPECT(im.log.n <= 1);
		if (im.log.n)
			EXPECT_STR(im.log.items[0].code, "lost.feature");
		release(&im);
	}
	hd_buf_release(&s.b);
}

static void message_file(struct image *s)
{
	/*
	 * The protobuf fields of the message: 1 the path, 2 the type 2, 3 the vaddr 0x8000, the unknown field 15 in
	 * three wire types, 4 a symbol { 1: address 0x8010, 2: size 16, 3: name }, 6 { 1: file offset 0x4000 }.
	 */
	static const uint8_t symbol[] = { 0x22, 11, 0x08, 0x90, 0x80, 0x02, 0x10, 0x10, 0x1a, 3, 'f', 'u', 'n' };
	static const uint8_t head[] = { 0x10, 2, 0x18, 0x80, 0x80, 0x02, 0x78, 5, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7d, 1,
		2, 3, 4 };
	static const uint8_t place[] = { 0x32, 4, 0x08, 0x80, 0x80, 0x01 };
	size_t at = sized(s);

	put(s, head, sizeof(head));
	put(s, symbol, sizeof(symbol));
	put(s, place, sizeof(place));
	put(s, "\x0a\x09/lib/b.so", 11);	/* field 1, the path, comes last */
	finish(s, at);
}

TEST(messages_of_simpleperf_are_read_whatever_the_order_of_their_fields)
{
	struct image s = { 0 }, im;
	const struct hd_embedded_symbols *c;

	message_file(&s);
	c = carried_of(&im, false, &(struct feature){ HD_FEAT_SP_FILE2, &s.b }, 1);
	EXPECT_INT(im.log.n, 0);
	expect_file(c, 0, HD_EMBEDDED_KIND_FILE, "/lib/b.so", 1);
	expect_symbol(c, 0, 0, 0x8010, 16, "fun");
	EXPECT_INT(c->files[0].vaddr, 0x8000);
	EXPECT(c->files[0].has_foff);
	EXPECT_INT(c->files[0].foff, 0x4000);
	release(&im);
	for (size_t n = 1; n < s.b.len; n++) {
		struct hd_buf part = { .data = s.b.data, .len = n };

		carried_of(&im, false, &(struct feature){ HD_FEAT_SP_FILE2, &part }, 1);
		EXPECT_INT(im.log.n, 1);
		release(&im);
	}
	/* The row has a valid size, but its last fields are missing. */
	for (size_t n = 5; n < s.b.len; n++) {
		struct image cut = { 0 };
		size_t at = sized(&cut);

		put(&cut, s.b.data + 4, n - 4);
		finish(&cut, at);
		carried_of(&im, false, &(struct feature){ HD_FEAT_SP_FILE2, &cut.b }, 1);
		release(&im);
		hd_buf_release(&cut.b);
	}
	hd_buf_release(&s.b);
}

static void hiperf_section(struct image *s)
{
	u32(s, 2);
	counted(s, "/system/lib/libc++.so");
	u32(s, 3);
	u64(s, 0x69390);
	u64(s, 0x68390);
	counted(s, "00112233445566778899aabbccddeeff");
	u32(s, 2);
	u64(s, 0x89139);		/* bit 0 means Thumb code */
	u32(s, 112);
	counted(s, "operator new(unsigned int)");
	u64(s, 0xa56dc);
	u32(s, 104);
	counted(s, "unlock");
	counted(s, "[kernel.kallsyms]");
	u32(s, 0);
	u64(s, UINT64_MAX);
	u64(s, 0);
	counted(s, "");
	u32(s, 1);
	u64(s, 0xffffffc010002f40u);
	u32(s, 0);
	counted(s, "el0_sync");
}

static void arch_section(struct image *s, const char *arch)
{
	counted(s, arch);
}

TEST(files_of_hiperf_have_build_ids_and_on_arm_even_addresses)
{
	struct image s = { 0 }, arm = { 0 }, x86 = { 0 }, im;
	const struct hd_embedded_symbols *c;

	hiperf_section(&s);
	arch_section(&arm, "aarch64");
	arch_section(&x86, "x86_64");
	c = carried_of(&im, false, (struct feature[]){ { HD_FEAT_ARCH, &arm.b }, { HD_FEAT_HP_FILES_SYMBOL, &s.b } },
		2);
	EXPECT_INT(im.log.n, 0);
	EXPECT_INT(c->nfiles, 2);
	expect_file(c, 0, HD_EMBEDDED_KIND_FILE, "/system/lib/libc++.so", 2);
	EXPECT_INT(c->files[0].id.len, 16);
	EXPECT_INT(c->files[0].id.bytes[15], 0xff);
	EXPECT_INT(c->files[0].foff, 0x68390);
	expect_symbol(c, 0, 0, 0x89138, 112, "operator new(unsigned int)");
	expect_file(c, 1, HD_EMBEDDED_KIND_KERNEL, "[kernel.kallsyms]", 1);
	release(&im);
	c = carried_of(&im, false, (struct feature[]){ { HD_FEAT_ARCH, &x86.b }, { HD_FEAT_HP_FILES_SYMBOL, &s.b } },
		2);
	expect_symbol(c, 0, 0, 0x89139, 112, "operator new(unsigned int)");
	release(&im);
	for (size_t n = 1; n < s.b.len; n++) {
		struct hd_buf part = { .data = s.b.data, .len = n };

		carried_of(&im, false, &(struct feature){ HD_FEAT_HP_FILES_SYMBOL, &part }, 1);
		EXPECT_INT(im.log.n, 1);
		release(&im);
	}
	hd_buf_release(&s.b);
	hd_buf_release(&arm.b);
	hd_buf_release(&x86.b);
}

static void node(struct image *s, uint32_t index, uint64_t ip, uint64_t caller, bool kernel)
{
	u32(s, index);
	u64(s, (ip & 0xffffffffffu) | caller << 40 | (uint64_t)kernel << 63);
}

static void told_once(struct image *data, uint32_t pid, uint64_t index, uint64_t entries)
{
	size_t r = rec(data, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	u64(data, 0x4000);
	u32(data, pid);
	u32(data, pid);
	u64(data, 7);
	u64(data, 0);
	u64(data, index | entries << 23);
	end(data, r);
}

TEST(chains_that_hiperf_told_once_are_followed_from_the_sample_and_circles_end)
{
	for (int swap = 0; swap < 2; swap++) {
		static const uint32_t lengths[] = { 3, 2, 0, 0, 64 };
		struct image s = { .swap = swap }, data = { .swap = swap }, im;
		struct hd_sample sm;

		u32(&s, 1);
		u32(&s, 50);
		u32(&s, 4 << 20);
		u32(&s, 4);
		node(&s, 10, 0xffffffc010002f40u, 11, true);
		node(&s, 11, 0xfffffffffffffe00u, 12, true);
		node(&s, 12, 0x7000, 0, false);
		node(&s, 13, 0x8000, 13, false);	/* calls itself */
		told_once(&data, 50, 10, 9);
		told_once(&data, 50, 10, 2);	/* the same node with a lower limit of frames */
		told_once(&data, 51, 10, 9);	/* another process */
		told_once(&data, 50, 99, 9);	/* a node that does not exist */
		told_once(&data, 50, 13, 64);
		im = file_image(swap, plain, &data.b, &(struct feature){ HD_FEAT_HP_UNISTACK_TABLE, &s.b }, 1);
		EXPECT_INT(open_image(&im), 0);
		for (size_t i = 0; i < HD_COUNT(lengths); i++) {
			EXPECT_INT(hd_perf_next(im.pf, &im.rec, &im.err), 1);
			EXPECT_INT(hd_perf_parse_sample(im.pf, &im.rec, &sm, &im.err), 0);
			EXPECT_INT(sm.nchain, lengths[i]);
			if (i < 2) {
				EXPECT(hd_sample_chain_ip(&sm, 0) == 0xffffffc010002f40u);
				EXPECT(hd_sample_chain_ip(&sm, 1) == HD_CONTEXT_USER);
			}
			if (!i)
				EXPECT_INT(hd_sample_chain_ip(&sm, 2), 0x7000);
		}
		EXPECT_INT(im.log.n, 0);
		release(&im);
		hd_buf_release(&s.b);
		hd_buf_release(&data.b);
	}
}

static void dso(struct image *im, uint64_t type, uint64_t id, const uint64_t *vaddr, const char *path)
{
	size_t r = rec(im, DSO, 0);

	u64(im, type);
	u64(im, id);
	if (vaddr)
		u64(im, *vaddr);
	text(im, path, (strlen(path) + 8) & ~(size_t)7);
	end(im, r);
}

static void symbol(struct image *im, uint64_t id, uint64_t start, uint64_t size, const char *s)
{
	size_t r = rec(im, SYMBOL, 0);

	u64(im, start);
	u64(im, size);
	u64(im, id);
	text(im, s, (strlen(s) + 8) & ~(size_t)7);
	end(im, r);
}

TEST(records_of_old_simpleperf_name_files_and_symbols_in_any_order)
{
	struct image im = one_event(plain);
	const uint64_t at = 0x400000, odd = 0x402f;
	const struct hd_embedded_symbols *c;

	dso(&im, 2, 3, &at, "/bin/t2");
	dso(&im, 0, 2, NULL, "[kernel.kallsyms]");	/* the oldest versions have no vaddr */
	dso(&im, 2, 4, &odd, "/bin/odd");
	symbol(&im, 3, 0x400010, 20, "func");
	symbol(&im, 2, 0xffff000000000100u, 16, "kernel_func");
	symbol(&im, 3, 0x400100, 54, "main");
	symbol(&im, 2, 0, UINT64_MAX, "unknown");	/* simpleperf writes this for code without a symbol */
	symbol(&im, 9, 0, 1, "nobody's");
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	c = hd_perf_embedded_symbols(im.pf);
	expect_file(c, 0, HD_EMBEDDED_KIND_FILE, "/bin/t2", 2);
	EXPECT_INT(c->files[0].vaddr, 0x400000);
	expect_symbol(c, 0, 0, 0x400010, 20, "func");
	expect_symbol(c, 0, 1, 0x400100, 54, "main");
	expect_file(c, 1, HD_EMBEDDED_KIND_KERNEL, "[kernel.kallsyms]", 1);
	expect_file(c, 2, HD_EMBEDDED_KIND_FILE, "/bin/odd", 0);
	EXPECT_INT(c->files[2].vaddr, 0x402f);
	EXPECT_INT(im.log.n, 1);
	EXPECT_STR(im.log.items[0].code, "lost.record-body");
	release(&im);
}

TEST(a_kernel_symbol_list_may_come_in_parts)
{
	struct image im = one_event(plain);
	static const char list[] = "ffff000000000000 T _text\nffff000000000100 T f\n";
	size_t r;

	r = rec(&im, SPLIT, 0);
	u32(&im, KERNEL_SYMBOL);
	u16(&im, 0);		/* the upper 16 bits of its size */
	u16(&im, 8 + 4 + 48);
	u32(&im, sizeof(list) - 1);
	text(&im, list, 10);
	end(&im, r);
	r = rec(&im, SPLIT, 0);
	text(&im, list + 10, 48 - 10);
	end(&im, r);
	r = rec(&im, SPLIT_END, 0);
	end(&im, r);
	r = rec(&im, SPLIT_END, 0);	/* an END without parts */
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	EXPECT_STR(hd_buf_str(&hd_perf_embedded_symbols(im.pf)->kallsyms), list);
	EXPECT_INT(im.log.n, 1);
	EXPECT_STR(im.log.items[0].code, "lost.record-body");
	release(&im);
}

TEST(ids_of_a_merged_recording_are_those_of_their_event)
{
	struct image im = one_event(plain);
	size_t r = rec(&im, EVENT_ID, 0);

	u64(&im, 2);
	u64(&im, 0);
	u64(&im, 77);
	u64(&im, 5);		/* no event has this ID */
	u64(&im, 78);
	end(&im, r);
	EXPECT_INT(open_image(&im), 0);
	walk(&im);
	EXPECT_INT(hd_perf_attr_of(im.pf, 77), 0);
	EXPECT_INT(im.log.n, 1);
	release(&im);
}

TEST_MAIN(RUN(files_of_simpleperf_have_symbols_a_kind_and_a_place_in_either_byte_order),
	  RUN(a_file_section_cut_anywhere_keeps_what_came_before_and_says_so),
	  RUN(messages_of_simpleperf_are_read_whatever_the_order_of_their_fields),
	  RUN(files_of_hiperf_have_build_ids_and_on_arm_even_addresses),
	  RUN(chains_that_hiperf_told_once_are_followed_from_the_sample_and_circles_end),
	  RUN(records_of_old_simpleperf_name_files_and_symbols_in_any_order),
	  RUN(a_kernel_symbol_list_may_come_in_parts),
	  RUN(ids_of_a_merged_recording_are_those_of_their_event))
