/* entry.c - read CIEs and FDEs of .eh_frame and .debug_frame in all forms, and reject invalid ones */
#include "cfi_test.h"

static void expect_fn(struct opened *o, uint64_t vaddr, uint64_t lo, uint64_t hi)
{
	const struct hd_cfi_fn *fn = hd_cfi_function(o->c, vaddr);

	EXPECT(fn != NULL);
	EXPECT_INT(fn->lo, lo);
	EXPECT_INT(fn->hi, hi);
	EXPECT(!fn->damaged);
	EXPECT_INT(hd_cfi_row(fn, vaddr)->cfa_off, 8);
}

TEST(an_eh_frame_as_gcc_writes_it_is_read)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	put_bytes(&im,
		BYTES(0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, /* CIE: alignments 1, -8; rip */
			1, 0x1b, /* addresses: pcrel, sdata4 */
			0x0c, 7, 8, 0x90, 1, 0, 0, 0x10, 0, 0, 0, 0x1c, 0, 0, 0, /* FDE: its CIE is 28 bytes back */
			0xe0, 0x8f, 0xff, 0xff, 0x20, 0, 0, 0, /* 0x8020 - 0x7020; 32 bytes */
			0, 0x41, 0, 0, 0, 0, 0, 0)); /* no data; advance_loc 1; terminator */
	open_over(&o, &im);
	EXPECT_INT(o.rc, 1);
	EXPECT_INT(o.stats.functions, 1);
	EXPECT_INT(o.stats.skipped, 0);
	EXPECT(!o.stats.damage && !o.stats.by_hdr);
	expect_fn(&o, 0x1000, 0x1000, 0x1020);
	EXPECT(!hd_cfi_function(o.c, 0xfff));
	EXPECT(!hd_cfi_function(o.c, 0x1020));
	release(&o);
}

TEST(nothing_to_read_opens_nothing)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	open_over(&o, &im);
	EXPECT_INT(o.rc, 0);
	EXPECT(!o.c && !o.stats.damage);
	release(&o);
	x86_cie(&im);		/* a CIE alone covers no code */
	open_over(&o, &im);
	EXPECT_INT(o.rc, 0);
	EXPECT(!o.c && !o.stats.damage && o.stats.functions == 0);
	release(&o);
}

/*
 * Open a section with one function whose addresses have the encoding `enc`.  With `bases`, .text is at 0x40000 and
 * .got at 0x50000.
 */
static void encoded(struct opened *o, uint8_t enc, const uint8_t *address_and_size, size_t n, bool bases)
{
	static struct image im;
	struct hd_cfi_sections in;
	size_t start;

	im = (struct image){ .vaddr = 0x8000 };
	start = start_entry(&im);
	put(&im, 4, 0);
	put_bytes(&im, BYTES(1,  'z', 'R', 0,  1, 0x78, 16,  1, enc,  0x0c, 7, 8,  0x90, 1));
	end_entry(&im, start);
	start = start_entry(&im);		/* the FDE stores its address at 0x801e */
	put(&im, 4, im.n);
	put_bytes(&im, address_and_size, n);
	put(&im, 1, 0);
	end_entry(&im, start);
	in = in_of(&im);
	in.text_vaddr = bases ? 0x40000 : 0;
	in.got_vaddr = bases ? 0x50000 : 0;
	open_in(o, &in);
}

TEST(addresses_are_read_in_each_encoding)
{
	static const struct { uint8_t enc, n, bytes[24]; } forms[] = {
		{ 0x00, 16, { 0, 0x10, 0, 0, 0, 0, 0, 0,  0x20 } },		/* absptr */
		{ 0x08, 16, { 0, 0x10, 0, 0, 0, 0, 0, 0,  0x20 } },		/* signed */
		{ 0x01, 3,  { 0x80, 0x20,  0x20 } },				/* uleb128 */
		{ 0x02, 4,  { 0, 0x10,  0x20 } },				/* udata2 */
		{ 0x03, 8,  { 0, 0x10, 0, 0,  0x20 } },				/* udata4 */
		{ 0x04, 16, { 0, 0x10, 0, 0, 0, 0, 0, 0,  0x20 } },		/* udata8 */
		{ 0x09, 3,  { 0x80, 0x20,  0x20 } },				/* sleb128 */
		{ 0x0a, 4,  { 0, 0x10,  0x20 } },				/* sdata2 */
		{ 0x0b, 8,  { 0, 0x10, 0, 0,  0x20 } },				/* sdata4 */
		{ 0x0c, 16, { 0, 0x10, 0, 0, 0, 0, 0, 0,  0x20 } },		/* sdata8 */
		{ 0x1a, 4,  { 0xe2, 0x8f,  0x20 } },				/* pcrel sdata2: 0x801e - 0x701e */
		{ 0x1b, 8,  { 0xe2, 0x8f, 0xff, 0xff,  0x20 } },		/* pcrel sdata4 */
		{ 0x2b, 8,  { 0x00, 0x10, 0xfc, 0xff,  0x20 } },		/* textrel sdata4: 0x40000 - 0x3f000 */
		{ 0x3b, 8,  { 0x00, 0x10, 0xfb, 0xff,  0x20 } },		/* datarel sdata4: 0x50000 - 0x4f000 */
		{ 0x50, 18, { 0, 0,  0, 0x10, 0, 0, 0, 0, 0, 0,  0x20 } },	/* aligned: to 0x8020 */
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct opened o;

		encoded(&o, forms[i].enc, forms[i].bytes, forms[i].n, true);
		EXPECT_INT(o.rc, 1);
		expect_fn(&o, 0x1010, 0x1000, 0x1020);
		release(&o);
	}
}

TEST(addresses_that_cannot_be_known_are_skipped_and_counted)
{
	static const uint8_t bytes[24] = { 0, 0x10, 0, 0, 0, 0, 0, 0,  0x20 };
	static const uint8_t encs[] = {
		0x80,		/* indirect: the address is in memory, which is not readable here */
		0x9b,		/* indirect pcrel */
		0xff,		/* omitted */
		0x2b, 0x3b,	/* textrel, datarel: the base is unknown */
		0x40,		/* funcrel: relative to an unknown function */
		0x05, 0x60,	/* an invalid format, an invalid base */
	};

	for (size_t i = 0; i < sizeof(encs); i++) {
		struct opened o;

		encoded(&o, encs[i], bytes, 16, false);
		EXPECT_INT(o.rc, 0);
		EXPECT_INT(o.stats.skipped, 1);
		EXPECT_STR(o.stats.damage, "an entry whose fields are impossible");
		release(&o);
	}
}

/*
 * Open a section with one CIE of this version and augmentation, and one FDE [0x1000, 0x1020).  `letters` is the
 * augmentation string; the n bytes at behind_ra follow the return address register.  fde_data: the FDE has
 * augmentation data.
 */
static void augmented(struct opened *o, bool debug_frame, uint8_t version, const char *letters,
	const uint8_t *behind_ra, size_t n, bool fde_data)
{
	struct image im = { .vaddr = 0x8000, .debug_frame = debug_frame };
	size_t start = start_entry(&im);

	put(&im, 4, debug_frame ? UINT32_MAX : 0);
	put(&im, 1, version);
	put_bytes(&im, letters, strlen(letters) + 1);
	if (version == 4)
		put_bytes(&im, BYTES(8, 0));		/* size of addresses, size of segments */
	if (!strcmp(letters, "eh"))
		put(&im, 8, 0x1234);
	put_bytes(&im, BYTES(1, 0x78));
	put_bytes(&im, version == 1 ? (const uint8_t[]){ 16 } : (const uint8_t[]){ 0x90, 0 }, version == 1 ? 1 : 2);
	put_bytes(&im, behind_ra, n);
	put_bytes(&im, BYTES(0x0c, 7, 8,  0x90, 1));
	end_entry(&im, start);
	fde_of(&im, 0, fde_data, 0x1000, 0x20, NOTHING);
	open_over(o, &im);
}

TEST(the_versions_of_a_cie_differ_in_the_return_address_column)
{
	static const uint8_t versions[] = { 1, 3, 4 };

	for (unsigned int i = 0; i < 6; i++) {
		struct opened o;

		augmented(&o, i & 1, versions[i / 2], "", NOTHING, false);
		EXPECT_INT(o.rc, 1);
		expect_fn(&o, 0x1000, 0x1000, 0x1020);
		release(&o);
	}
}

TEST(the_letters_of_an_augmentation_are_read)
{
	struct opened o;

	augmented(&o, false, 1, "eh", NOTHING, false);	/* GCC 2 wrote this: a word follows the letters */
	expect_fn(&o, 0x1000, 0x1000, 0x1020);
	release(&o);
	augmented(&o, false, 1, "zPLR", BYTES(7, 0x9b, 1, 2, 3, 4, 0x1b, 0x00), true); /* indirect pcrel personality */
	expect_fn(&o, 0x1000, 0x1000, 0x1020);
	release(&o);
	augmented(&o, false, 1, "zRP", BYTES(2,  0x00, 0xff), true);		/* the personality routine is omitted */
	expect_fn(&o, 0x1000, 0x1000, 0x1020);
	release(&o);
	augmented(&o, false, 1, "zRSBG", BYTES(1,  0x00), true);
	expect_fn(&o, 0x1000, 0x1000, 0x1020);
	EXPECT_INT(row_at(&o, 0x1000)->flags, HD_CFI_SIGNAL);
	release(&o);
	augmented(&o, false, 1, "z", BYTES(2,  9, 9), true);			/* data that no letter describes */
	expect_fn(&o, 0x1000, 0x1000, 0x1020);
	release(&o);
}

TEST(a_cie_that_is_not_understood_is_skipped_with_its_functions)
{
	static const struct { uint8_t version; const char *letters; } foreign[] = {
		{ 1, "armcc+" }, { 1, "zX" }, { 1, "R" }, { 2, "" }, { 5, "" }, { 1, "zRRRRRRRRRRRRRRRRRRRR" },
	};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		struct opened o;

		augmented(&o, false, foreign[i].version, foreign[i].letters, BYTES(1, 0), true);
		EXPECT_INT(o.rc, 0);
		EXPECT_INT(o.stats.skipped, 2);
		EXPECT_STR(o.stats.damage, "a CIE whose version, augmentation or registers are not known");
		release(&o);
	}
}

TEST(a_return_address_column_that_is_not_followed_is_not_understood)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	cie(&im, "", 17, BYTES(0x0c, 7, 8));
	fde(&im, 0x1000, 0x20, NOTHING);
	open_over(&o, &im);
	EXPECT_INT(o.rc, 0);
	EXPECT_INT(o.stats.skipped, 2);
	release(&o);
}

TEST(debug_frame_is_read_in_32_and_64_bit_dwarf)
{
	for (int wide = 0; wide < 2; wide++) {
		struct image im = { .debug_frame = true, .long_form = wide };
		struct opened o;

		x86_cie(&im);
		fde(&im, 0x1000, 0x20, NOTHING);
		fde(&im, 0x2000, 0x20, NOTHING);
		open_over(&o, &im);
		EXPECT_INT(o.rc, 1);
		EXPECT_INT(o.stats.functions, 2);
		expect_fn(&o, 0x201f, 0x2000, 0x2020);
		release(&o);
	}
}

TEST(an_eh_frame_entry_with_a_long_length_keeps_a_short_id)
{
	struct image im = { .vaddr = 0x8000, .long_form = true };
	struct opened o;

	x86_cie(&im);
	fde(&im, 0x1000, 0x20, NOTHING);
	open_over(&o, &im);
	EXPECT_INT(o.rc, 1);
	expect_fn(&o, 0x1000, 0x1000, 0x1020);
	release(&o);
}

TEST(debug_frame_of_version_4_says_how_wide_addresses_are)
{
	struct image im = { .debug_frame = true };
	struct opened o;

	put_bytes(&im, BYTES(0x10, 0, 0, 0,  0xff, 0xff, 0xff, 0xff,  4,  0,  4, 0,  1, 0x78, 16,  0x0c, 7, 8,  0x90, 1,
			     0x0c, 0, 0, 0,  0, 0, 0, 0,  0, 0x10, 0, 0,  0x20, 0, 0, 0));
	open_over(&o, &im);
	EXPECT_INT(o.rc, 1);
	expect_fn(&o, 0x1000, 0x1000, 0x1020);
	release(&o);
	im.b[11] = 4;			/* the CIE declares segment selectors of 4 bytes */
	open_over(&o, &im);
	EXPECT_INT(o.rc, 0);
	EXPECT_INT(o.stats.skipped, 2);
	release(&o);
}

TEST(a_cie_may_follow_its_functions_in_debug_frame)
{
	struct image im = { .debug_frame = true };
	struct opened o;

	fde_of(&im, 24, false, 0x1000, 0x20, NOTHING);
	EXPECT_INT(im.n, 24);
	x86_cie(&im);
	open_over(&o, &im);
	EXPECT_INT(o.rc, 1);
	expect_fn(&o, 0x1000, 0x1000, 0x1020);
	release(&o);
}

TEST(the_other_byte_order_is_read)
{
	for (int debug_frame = 0; debug_frame < 2; debug_frame++) {
		struct image im = { .big = true, .debug_frame = debug_frame, .machine = HD_CFI_AARCH64 };
		struct opened o;

		cie(&im, "", 30, BYTES(0x0c, 31, 8));
		fde(&im, 0x1000, 0x20000, BYTES(0x03, 0x12, 0x34,  0x0e, 16));	/* advance_loc2 0x1234 * 4 */
		open_over(&o, &im);
		EXPECT_INT(o.rc, 1);
		EXPECT_INT(row_at(&o, 0x1000 + 0x1234 * 4 - 1)->cfa_off, 8);
		EXPECT_INT(row_at(&o, 0x1000 + 0x1234 * 4)->cfa_off, 16);
		release(&o);
	}
}

TEST(terminators_in_the_middle_are_stepped_over)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	x86_cie(&im);
	fde(&im, 0x1000, 0x20, NOTHING);
	put(&im, 4, 0);
	fde(&im, 0x2000, 0x20, NOTHING);
	put(&im, 4, 0);
	open_over(&o, &im);
	EXPECT_INT(o.stats.functions, 2);
	EXPECT(!o.stats.damage);
	expect_fn(&o, 0x2000, 0x2000, 0x2020);
	release(&o);
}

TEST(a_section_that_is_cut_off_keeps_what_was_whole)
{
	struct image im = { .vaddr = 0x8000 };
	size_t whole;

	x86_cie(&im);
	fde(&im, 0x1000, 0x20, NOTHING);
	whole = im.n;
	fde(&im, 0x2000, 0x20, NOTHING);
	for (im.n--; im.n > whole; im.n--) {
		struct opened o;

		open_over(&o, &im);
		EXPECT_INT(o.stats.functions, 1);
		EXPECT_INT(o.stats.skipped, 1);
		EXPECT_STR(o.stats.damage, "an entry that is longer than its section");
		expect_fn(&o, 0x1000, 0x1000, 0x1020);
		release(&o);
	}
}

TEST(an_entry_whose_cie_is_outside_of_its_section_is_skipped)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	fde_of(&im, (size_t)-64, false, 0x1000, 0x20, NOTHING);		/* refers to a CIE before the section */
	x86_cie(&im);
	fde(&im, 0x2000, 0x20, NOTHING);
	/* the pointer leads into the middle of another entry */
	fde_of(&im, 4, false, 0x3000, 0x20, NOTHING);
	open_over(&o, &im);
	EXPECT_INT(o.stats.functions, 1);
	EXPECT_INT(o.stats.skipped, 2);
	EXPECT_STR(o.stats.damage, "an entry whose CIE is not in its section");
	expect_fn(&o, 0x2000, 0x2000, 0x2020);
	release(&o);
	im.debug_frame = true;
	im.n = 0;
	fde_of(&im, 1 << 20, false, 0x1000, 0x20, NOTHING);
	open_over(&o, &im);
	EXPECT_INT(o.stats.skipped, 1);
	release(&o);
}

TEST(ranges_that_cannot_be_are_skipped_and_empty_ones_dropped)
{
	struct image im = { .vaddr = 0x8000 };
	struct opened o;

	x86_cie(&im);
	fde(&im, 0x1000, 0, NOTHING);				/* assemblers write this for empty functions */
	/* the range wraps around the end of the address space */
	fde(&im, 0x2000, UINT64_MAX, NOTHING);
	fde(&im, 0x3000, UINT64_C(1) << 32, NOTHING);		/* a row stores 32-bit distances */
	fde(&im, 0x4000, UINT32_MAX, NOTHING);
	fde(&im, UINT64_MAX - 0xf, 0x20, NOTHING);
	open_over(&o, &im);
	EXPECT_INT(o.stats.functions, 1);
	EXPECT_INT(o.stats.skipped, 3);
	EXPECT_STR(o.stats.damage, "an entry whose fields are impossible");
	EXPECT(!hd_cfi_function(o.c, 0x2000));
	expect_fn(&o, UINT64_C(0x4000) + UINT32_MAX - 1, 0x4000, UINT64_C(0x4000) + UINT32_MAX);
	release(&o);
}

TEST(instructions_beyond_64_kib_are_not_executed)
{
	enum { MAX = 1 << 16 };
	static struct image im;
	static uint8_t insns[MAX + 1] = { 0x41,  0x0e, 16 };	/* advance 1; def_cfa_offset 16; nops; advance 1 */
	struct opened o;

	for (unsigned int behind = 0; behind < 2; behind++) {
		im = (struct image){ .vaddr = 0x8000 };
		insns[MAX - 1 + behind] = 0x41;
		x86_cie(&im);
		fde(&im, 0x1000, 0x20, insns, MAX + behind);
		open_over(&o, &im);
		EXPECT_INT(hd_cfi_function(o.c, 0x1000)->damaged, behind);
		EXPECT_INT(row_at(&o, 0x1000)->cfa_off, 8);
		insns[MAX - 1 + behind] = 0;
		if (behind) {
			EXPECT_INT(hd_cfi_function(o.c, 0x1000)->end, 1);
			EXPECT(!row_at(&o, 0x1001));
		} else {
			EXPECT_INT(row_at(&o, 0x101f)->cfa_off, 16);
		}
		release(&o);
	}
}

TEST(a_cie_with_more_than_256_bytes_of_instructions_is_not_understood)
{
	for (unsigned int behind = 0; behind < 2; behind++) {
		uint8_t insns[257] = { 0x0c, 7, 8,  0x90, 1 };		/* ... and nops */
		struct image im = { .vaddr = 0x8000 };
		struct opened o;

		cie(&im, "", 16, insns, 256 + behind);
		fde(&im, 0x1000, 0x20, NOTHING);
		open_over(&o, &im);
		EXPECT_INT(o.rc, behind ? 0 : 1);
		EXPECT_INT(o.stats.skipped, behind ? 2 : 0);
		release(&o);
	}
}

TEST_MAIN(RUN(an_eh_frame_as_gcc_writes_it_is_read), RUN(nothing_to_read_opens_nothing),
	RUN(addresses_are_read_in_each_encoding), RUN(addresses_that_cannot_be_known_are_skipped_and_counted),
	RUN(the_versions_of_a_cie_differ_in_the_return_address_column), RUN(the_letters_of_an_augmentation_are_read),
	RUN(a_cie_that_is_not_understood_is_skipped_with_its_functions),
	RUN(a_return_address_column_that_is_not_followed_is_not_understood),
	RUN(debug_frame_is_read_in_32_and_64_bit_dwarf), RUN(an_eh_frame_entry_with_a_long_length_keeps_a_short_id),
	RUN(debug_frame_of_version_4_says_how_wide_addresses_are),
	RUN(a_cie_may_follow_its_functions_in_debug_frame), RUN(the_other_byte_order_is_read),
	RUN(terminators_in_the_middle_are_stepped_over), RUN(a_section_that_is_cut_off_keeps_what_was_whole),
	RUN(an_entry_whose_cie_is_outside_of_its_section_is_skipped),
	RUN(ranges_that_cannot_be_are_skipped_and_empty_ones_dropped), RUN(instructions_beyond_64_kib_are_not_executed),
	RUN(a_cie_with_more_than_256_bytes_of_instructions_is_not_understood))
