/* stack_bytes_used.c - replace the unused bytes of stack copies by zeros, in pieces of the file of any size */
#include "test.h"

#include "bundle/stack_bytes_used.h"

#include <string.h>

enum { COPY = 200, ROOM = 16 };

/*
 * The body of a sample record has ROOM bytes of other fields, the size of the stack copy, the copy, and room for the
 * number of valid bytes in the copy.
 */
struct made {
	uint8_t bytes[ROOM + 8 + COPY + 8];
	struct hd_record rec;
	struct hd_sample s;
};

static void make(struct made *m, uint64_t off, uint64_t copied)
{
	uint64_t n = COPY;

	memset(m, 0, sizeof(*m));
	memset(m->bytes, 0xee, sizeof(m->bytes));
	memcpy(m->bytes + ROOM, &n, 8);
	m->rec.off = off;
	m->rec.data = m->bytes;
	m->s.stack_user = m->bytes + ROOM + 8;
	m->s.stack_user_bytes = copied;
}

/* Return the file offset of the stack copy in the record at file offset `off`. */
static uint64_t copy_at(uint64_t off)
{
	return off + 8 + ROOM + 8;
}

static void note(struct hd_stack_bytes_used *m, uint64_t off, uint64_t copied, const char *kept)
{
	struct hd_buf notes = { 0 };
	uint8_t marks[COPY] = { 0 };
	struct made made;

	make(&made, off, copied);
	for (size_t i = 0; kept[i]; i++)
		marks[i] = kept[i] == '#';
	hd_stack_bytes_used_note(&notes, &made.rec, &made.s, marks);
	hd_stack_bytes_used_add(m, &notes);
	hd_buf_release(&notes);
}

/* Set all bytes of `file` to 1, and let `m` replace unused stack bytes by zeros, in pieces of n bytes. */
static void wipe(struct hd_stack_bytes_used *m, uint8_t *file, size_t size, size_t n)
{
	struct hd_stack_bytes_used_cursor at = { 0 };

	memset(file, 1, size);
	for (size_t off = 0; off < size; off += n)
		hd_stack_bytes_used_wipe(m, &at, 0, off, file + off, size - off < n ? size - off : n);
}

TEST(marked_bytes_stay_and_the_others_of_the_copy_are_zeros)
{
	static const char kept[] = "...###.#";
	struct hd_stack_bytes_used m = { 0 };
	uint8_t file[1000];

	note(&m, 100, COPY, kept);
	wipe(&m, file, sizeof(file), sizeof(file));
	for (size_t i = 0; i < sizeof(file); i++) {
		size_t in = i - copy_at(100);
		bool zero = in < COPY && !(in < strlen(kept) && kept[in] == '#');

		EXPECT_INT(file[i], zero ? 0 : 1);
	}
	EXPECT_INT(m.wiped, COPY - 4);
	hd_stack_bytes_used_release(&m);
}

TEST(the_part_of_a_copy_that_was_reserved_but_not_copied_becomes_zeros)
{
	struct hd_stack_bytes_used m = { 0 };
	uint8_t file[400];

	note(&m, 0, 8, "########");
	wipe(&m, file, sizeof(file), sizeof(file));
	EXPECT_INT(file[copy_at(0) + 7], 1);
	for (size_t i = copy_at(0) + 8; i < copy_at(0) + COPY; i++)
		EXPECT_INT(file[i], 0);
	EXPECT_INT(file[copy_at(0) + COPY], 1);
	hd_stack_bytes_used_release(&m);
}

TEST(pieces_of_any_size_make_the_same_file)
{
	struct hd_stack_bytes_used m = { 0 };
	uint8_t whole[2000], pieces[2000];

	note(&m, 10, COPY, "##..##...#");
	note(&m, 10 + 232, COPY, "");
	note(&m, 900, 100, "....#");
	wipe(&m, whole, sizeof(whole), sizeof(whole));
	for (size_t n = 1; n < 600; n += 7) {
		wipe(&m, pieces, sizeof(pieces), n);
		EXPECT_MEM(whole, pieces, sizeof(whole));
	}
	hd_stack_bytes_used_release(&m);
}

TEST(samples_without_a_copy_or_in_compressed_records_are_left_alone)
{
	struct hd_buf notes = { 0 };
	uint8_t marks[COPY] = { 0 };
	struct made made;

	make(&made, 0, COPY);
	made.rec.inside = true;
	hd_stack_bytes_used_note(&notes, &made.rec, &made.s, marks);
	made.rec.inside = false;
	made.s.stack_user = NULL;
	hd_stack_bytes_used_note(&notes, &made.rec, &made.s, marks);
	EXPECT_INT(notes.len, 0);
	hd_buf_release(&notes);
}

TEST(notes_of_one_file_of_a_folder_say_nothing_of_another)
{
	struct hd_stack_bytes_used m = { 0 };
	struct hd_stack_bytes_used_cursor at[2] = { { 0 } };
	struct hd_buf notes = { 0 };
	uint8_t marks[COPY] = { 0 }, file[400];
	struct made made;

	for (uint32_t part = 0; part < 2; part++) {
		make(&made, part * 50, COPY);
		made.rec.part = part;
		hd_stack_bytes_used_note(&notes, &made.rec, &made.s, marks);
	}
	hd_stack_bytes_used_add(&m, &notes);
	for (uint32_t part = 0; part < 2; part++) {
		memset(file, 1, sizeof(file));
		hd_stack_bytes_used_wipe(&m, &at[part], part, 0, file, sizeof(file));
		EXPECT_INT(file[copy_at(part * 50) - 1], 1);
		EXPECT_INT(file[copy_at(part * 50)], 0);
		EXPECT_INT(file[copy_at(part * 50) + COPY], 1);
	}
	hd_buf_release(&notes);
	hd_stack_bytes_used_release(&m);
}

TEST_MAIN(RUN(marked_bytes_stay_and_the_others_of_the_copy_are_zeros),
	RUN(the_part_of_a_copy_that_was_reserved_but_not_copied_becomes_zeros),
	RUN(pieces_of_any_size_make_the_same_file),
	RUN(samples_without_a_copy_or_in_compressed_records_are_left_alone),
	RUN(notes_of_one_file_of_a_folder_say_nothing_of_another))
