/*
 * line_table.c - see line_table.h
 */
#include "dwarf/line_table.h"

#include "base/mem.h"
#include "dwarf/form.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sequences of damaged files can overlap.  So a lookup tests up to this many sequences, backwards from the last one
 * that starts at or before the address.
 */
enum { WALK_BACK = 32 };

struct row { uint64_t addr; uint32_t line, file; };

struct sequence {
	uint64_t start, end;
	size_t first, n;		/* range in `rows` of the table */
};

struct hd_line_table {
	struct hd_line_files names;
	struct row *rows;
	size_t nrows, rows_cap;
	struct sequence *seqs;
	size_t nseqs, seqs_cap;
	const char *damage;
};

/* The parts of the header that the program needs. */
struct header {
	unsigned version;
	bool is64;
	uint8_t min_inst, max_ops, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *lengths;		/* number of operands of each standard opcode, from opcode 1 on */
};

struct machine {
	uint64_t addr, op_index;
	uint64_t file;
	int64_t line;
	bool open;			/* a sequence has started */
};

static void damaged(struct hd_line_table *t, const char *what)
{
	if (!t->damage)
		t->damage = what;
}

/* ---- rows ---- */

static void end_sequence(struct hd_line_table *t, struct machine *m, uint64_t end)
{
	struct sequence *s;

	if (!m->open)
		return;
	m->open = false;
	s = &t->seqs[t->nseqs - 1];
	s->n = t->nrows - s->first;
	s->end = end;
	if (s->end <= s->start) {	/* it is empty */
		t->nrows = s->first;
		t->nseqs--;
	}
}

static void add_row(struct hd_line_table *t, struct machine *m)
{
	struct row row = { m->addr, m->line > 0 && m->line < UINT32_MAX ? (uint32_t)m->line : 0,
			   m->file < UINT32_MAX ? (uint32_t)m->file : UINT32_MAX };
	struct row *last = m->open ? &t->rows[t->nrows - 1] : NULL;

	if (last && row.addr < last->addr) {
		damaged(t, "addresses go backwards");
		end_sequence(t, m, last->addr);
		last = NULL;
	}
	if (last && last->line == row.line && last->file == row.file)
		return;
	if (last && last->addr == row.addr) {
		*last = row;		/* if several rows have the same address, the last one is used */
		return;
	}
	if (!m->open) {
		m->open = true;
		HD_GROW(t->seqs, t->nseqs + 1, t->seqs_cap);
		t->seqs[t->nseqs++] = (struct sequence){ .start = row.addr, .first = t->nrows };
	}
	HD_GROW(t->rows, t->nrows + 1, t->rows_cap);
	t->rows[t->nrows++] = row;
}

/* ---- the byte code ---- */

static void advance(struct machine *m, const struct header *h, uint64_t ops)
{
	uint64_t at = m->op_index + ops;

	m->addr += h->min_inst * (at / h->max_ops);
	m->op_index = at % h->max_ops;
}

static void reset(struct machine *m)
{
	*m = (struct machine){ .file = 1, .line = 1 };
}

static void extended(struct hd_line_table *t, struct machine *m, struct hd_bytes *b)
{
	uint64_t n = hd_dwarf_uleb(b);
	const uint8_t *body = hd_bytes_skip(b, n);
	struct hd_bytes e;

	if (!body || !n)
		return;
	e = hd_bytes_over(body, n, b->swap);
	switch (hd_bytes_u8(&e)) {
	case DW_LNE_end_sequence:
		end_sequence(t, m, m->addr);
		reset(m);
		break;
	case DW_LNE_set_address:
		m->addr = n == 9 ? hd_bytes_u64(&e) : n == 5 ? hd_bytes_u32(&e) : n == 3 ? hd_bytes_u16(&e) : 0;
		m->op_index = 0;
		break;
	case DW_LNE_define_file: {
		const char *name = hd_dwarf_string(&e);
		uint64_t dir = hd_dwarf_uleb(&e);

		if (name)
			hd_line_files_define(&t->names, (struct hd_line_str){ .s = name }, dir);
		break;
	}
	}
}

static void standard(struct hd_line_table *t, struct machine *m, const struct header *h, struct hd_bytes *b, uint8_t op)
{
	switch (op) {
	case DW_LNS_copy:
		add_row(t, m);
		break;
	case DW_LNS_advance_pc:
		advance(m, h, hd_dwarf_uleb(b));
		break;
	case DW_LNS_advance_line:
		m->line = (int64_t)((uint64_t)m->line + (uint64_t)hd_dwarf_sleb(b));
		break;
	case DW_LNS_set_file:
		m->file = hd_dwarf_uleb(b);
		break;
	case DW_LNS_const_add_pc:
		advance(m, h, (255u - h->opcode_base) / h->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->addr += hd_bytes_u16(b);
		m->op_index = 0;
		break;
	case DW_LNS_negate_stmt:
	case DW_LNS_set_basic_block:
	case DW_LNS_set_prologue_end:
	case DW_LNS_set_epilogue_begin:
		break;
	default:	/* skip the operands of DW_LNS_set_column, DW_LNS_set_isa and opcodes of later versions */
		for (unsigned i = h->lengths[op - 1]; i; i--)
			hd_dwarf_uleb(b);
	}
}

static void run(struct hd_line_table *t, const struct header *h, struct hd_bytes *b)
{
	struct machine m;

	reset(&m);
	while (hd_bytes_left(b)) {
		uint8_t op = hd_bytes_u8(b);

		if (op >= h->opcode_base) {
			unsigned adjusted = op - h->opcode_base;

			advance(&m, h, adjusted / h->line_range);
			m.line = (int64_t)((uint64_t)m.line +
				(uint64_t)(h->line_base + (int)(adjusted % h->line_range)));
			add_row(t, &m);
		} else if (op) {
			standard(t, &m, h, b, op);
		} else {
			extended(t, &m, b);
		}
	}
	if (b->bad)
		damaged(t, "the line program is cut off");
	if (m.open) {
		damaged(t, "the last sequence does not end");
		end_sequence(t, &m, t->rows[t->nrows - 1].addr);
	}
}

/* ---- the header ---- */

static int read_header(struct header *h, struct hd_bytes *unit, struct hd_bytes *names, struct hd_err *err)
{
	uint64_t header_length;
	const uint8_t *body;

	h->version = hd_bytes_u16(unit);
	if (h->version < 2 || h->version > 5)
		return hd_fail(err, HD_EFORMAT, "line table of version %u", h->version);
	if (h->version >= 5)
		hd_bytes_skip(unit, 2);		/* sizes of addresses and of segment selectors */
	header_length = h->is64 ? hd_bytes_u64(unit) : hd_bytes_u32(unit);
	body = hd_bytes_skip(unit, header_length);
	if (!body)
		return hd_fail(err, HD_EFORMAT, "the header of a line table extends beyond it");
	*names = hd_bytes_over(body, header_length, unit->swap);
	h->min_inst = hd_bytes_u8(names);
	h->max_ops = h->version >= 4 ? hd_bytes_u8(names) : 1;
	hd_bytes_u8(names);			/* default_is_stmt */
	h->line_base = (int8_t)hd_bytes_u8(names);
	h->line_range = hd_bytes_u8(names);
	h->opcode_base = hd_bytes_u8(names);
	if (names->bad || !h->max_ops || !h->line_range || !h->opcode_base)
		return hd_fail(err, HD_EFORMAT, "the header of a line table has an invalid zero");
	h->lengths = hd_bytes_skip(names, h->opcode_base - 1u);
	if (!h->lengths)
		return hd_fail(err, HD_EFORMAT, "the header of a line table is cut off");
	return 0;
}

static int by_start(const void *va, const void *vb)
{
	const struct sequence *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

int hd_line_table_read(struct hd_line_table **out, const struct hd_line_table_in *in, struct hd_err *err)
{
	struct header h = { 0 };
	struct hd_bytes b, names;
	struct hd_line_table *t;
	uint64_t length;
	int rc;

	b = hd_bytes_over(in->unit, in->n, in->swap);
	length = hd_bytes_u32(&b);
	if (length == 0xffffffff) {
		h.is64 = true;
		length = hd_bytes_u64(&b);
	}
	if (in->names_only && length > hd_bytes_left(&b))
		length = hd_bytes_left(&b);
	if (b.bad || length > hd_bytes_left(&b))
		return hd_fail(err, HD_EFORMAT, "a line table of %llu bytes, of which only %zu are present",
			(unsigned long long)length, hd_bytes_left(&b));
	b.end = b.p + length;
	rc = read_header(&h, &b, &names, err);
	if (rc < 0)
		return rc;
	t = hd_new(struct hd_line_table);
	if (!hd_line_files_read(&t->names, &names, h.version, h.is64, in))
		damaged(t, "the list of source files is damaged");
	if (!in->names_only)
		run(t, &h, &b);
	t->rows = hd_realloc(t->rows, t->nrows, sizeof(*t->rows));
	t->rows_cap = t->nrows;
	if (t->nseqs)
		qsort(t->seqs, t->nseqs, sizeof(*t->seqs), by_start);
	*out = t;
	return 0;
}

void hd_line_table_free(struct hd_line_table *t)
{
	if (!t)
		return;
	hd_line_files_release(&t->names);
	free(t->rows);
	free(t->seqs);
	free(t);
}

const char *hd_line_table_damage(const struct hd_line_table *t)
{
	return t->damage;
}

/* ---- lookups ---- */

static const struct sequence *sequence_of(const struct hd_line_table *t, uint64_t vaddr)
{
	size_t lo = 0, hi = t->nseqs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->seqs[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i && lo - i < WALK_BACK; i--)
		if (vaddr < t->seqs[i - 1].end)
			return &t->seqs[i - 1];
	return NULL;
}

bool hd_line_table_find(const struct hd_line_table *t, uint64_t vaddr, uint32_t *file, uint32_t *line)
{
	const struct sequence *s = sequence_of(t, vaddr);
	size_t lo = 0, hi;

	if (!s)
		return false;
	hi = s->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->rows[s->first + mid].addr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* The first row is at the start of the sequence. */
	*file = t->rows[s->first + lo - 1].file;
	*line = t->rows[s->first + lo - 1].line;
	return true;
}

const char *hd_line_table_file(struct hd_line_table *t, uint32_t file)
{
	return hd_line_files_path(&t->names, file);
}
