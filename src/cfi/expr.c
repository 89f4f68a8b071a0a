/*
 * expr.c - evaluate DWARF expressions of call frame information
 *
 * Values are addresses of 4 or 8 bytes, held in 64 bits and truncated to the width of an address after each operation.
 * Division, comparison, abs, neg and shra treat them as signed.  Operations that DWARF 5, 6.4.2 does not allow in CFI
 * are rejected: locations, types, calls, the frame base and the CFA itself.
 */
#include "cfi/index.h"

enum { STEPS_MAX = 1000, SLOTS_MAX = 64 };

enum op {
	OP_ADDR = 0x03, OP_DEREF = 0x06,
	OP_CONST1U = 0x08, OP_CONST1S, OP_CONST2U, OP_CONST2S, OP_CONST4U, OP_CONST4S, OP_CONST8U, OP_CONST8S,
	OP_CONSTU, OP_CONSTS,
	OP_DUP = 0x12, OP_DROP, OP_OVER, OP_PICK, OP_SWAP, OP_ROT,
	OP_ABS = 0x19, OP_AND, OP_DIV, OP_MINUS, OP_MOD, OP_MUL, OP_NEG, OP_NOT, OP_OR, OP_PLUS, OP_PLUS_UCONST,
	OP_SHL, OP_SHR, OP_SHRA, OP_XOR,
	OP_BRA = 0x28, OP_EQ, OP_GE, OP_GT, OP_LE, OP_LT, OP_NE, OP_SKIP,
	OP_LIT0 = 0x30, OP_LIT31 = 0x4f, OP_BREG0 = 0x70, OP_BREG31 = 0x8f, OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94, OP_NOP = 0x96, OP_STACK_VALUE = 0x9f,
};

struct machine {
	struct hd_cfi_reader r;
	const uint8_t *start;
	const struct hd_cfi_regs *regs;
	const struct hd_cfi_memory_reader *memory;
	const struct hd_cfi_abi *abi;
	unsigned int n;
	bool bad;
	uint64_t slot[SLOTS_MAX];
};

static void push(struct machine *m, uint64_t v)
{
	if (m->n == SLOTS_MAX)
		m->bad = true;
	else
		m->slot[m->n++] = v & hd_cfi_mask(m->abi->word);
}

static uint64_t pop(struct machine *m)
{
	if (m->n)
		return m->slot[--m->n];
	m->bad = true;
	return 0;
}

/* Return the value `depth` slots below the top. */
static uint64_t pick(struct machine *m, unsigned int depth)
{
	if (depth < m->n)
		return m->slot[m->n - 1 - depth];
	m->bad = true;
	return 0;
}

static int64_t as_signed(const struct machine *m, uint64_t v)
{
	return (int64_t)hd_cfi_extend(v, m->abi->word);
}

static void breg(struct machine *m, uint64_t reg)
{
	int64_t off = hd_cfi_sleb(&m->r);

	if (reg >= m->abi->nregs || !(m->regs->known >> reg & 1))
		m->bad = true;
	else
		push(m, m->regs->v[reg] + (uint64_t)off);
}

static void deref(struct machine *m, unsigned int bytes)
{
	uint64_t addr = pop(m), value = 0;

	if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || bytes > m->abi->word ||
	    m->bad || !m->memory->read(m->memory->ctx, addr, bytes, &value))
		m->bad = true;
	else
		push(m, value);
}

static void jump(struct machine *m, bool taken)
{
	int16_t by = (int16_t)hd_cfi_fixed(&m->r, 2);

	if (!taken || m->r.bad)
		return;
	if (by < m->start - m->r.p || by > m->r.end - m->r.p)
		m->bad = true;
	else
		m->r.p += by;
}

/* Apply a binary operation.  `b` was on top of the stack, and `a` was below it. */
static uint64_t binary(struct machine *m, uint8_t op, uint64_t a, uint64_t b)
{
	int64_t sa = as_signed(m, a), sb = as_signed(m, b);
	unsigned int bits = 8u * m->abi->word;

	switch (op) {
	case OP_AND:   return a & b;
	case OP_OR:    return a | b;
	case OP_XOR:   return a ^ b;
	case OP_PLUS:  return a + b;
	case OP_MINUS: return a - b;
	case OP_MUL:   return a * b;
	case OP_DIV:
		m->bad = m->bad || !b;
		/* INT_MIN / -1 wraps around. */
		return !b ? 0 : sb == -1 ? -a : (uint64_t)(sa / sb);
	case OP_MOD:
		m->bad = m->bad || !b;
		return b ? a % b : 0;
	case OP_SHL:   return b < bits ? a << b : 0;
	case OP_SHR:   return b < bits ? a >> b : 0;
	case OP_SHRA:  return (uint64_t)(sa >> (b < bits ? b : 63));
	case OP_EQ:    return sa == sb;
	case OP_GE:    return sa >= sb;
	case OP_GT:    return sa > sb;
	case OP_LE:    return sa <= sb;
	case OP_LT:    return sa < sb;
	default:       return sa != sb;		/* OP_NE */
	}
}

static void step(struct machine *m)
{
	struct hd_cfi_reader *r = &m->r;
	uint8_t op = hd_cfi_u8(r);
	uint64_t a, b, c;

	if (op >= OP_LIT0 && op <= OP_LIT31) {
		push(m, op - OP_LIT0);
		return;
	}
	if (op >= OP_BREG0 && op <= OP_BREG31) {
		breg(m, op - OP_BREG0);
		return;
	}
	switch (op) {
	case OP_ADDR:	 push(m, hd_cfi_fixed(r, m->abi->word)); break;
	case OP_CONST1U: push(m, hd_cfi_fixed(r, 1)); break;
	case OP_CONST1S: push(m, hd_cfi_extend(hd_cfi_fixed(r, 1), 1)); break;
	case OP_CONST2U: push(m, hd_cfi_fixed(r, 2)); break;
	case OP_CONST2S: push(m, hd_cfi_extend(hd_cfi_fixed(r, 2), 2)); break;
	case OP_CONST4U: push(m, hd_cfi_fixed(r, 4)); break;
	case OP_CONST4S: push(m, hd_cfi_extend(hd_cfi_fixed(r, 4), 4)); break;
	case OP_CONST8U: case OP_CONST8S: push(m, hd_cfi_fixed(r, 8)); break;
	case OP_CONSTU:	 push(m, hd_cfi_uleb(r)); break;
	case OP_CONSTS:	 push(m, (uint64_t)hd_cfi_sleb(r)); break;
	case OP_DUP:	 push(m, pick(m, 0)); break;
	case OP_DROP:	 pop(m); break;
	case OP_OVER:	 push(m, pick(m, 1)); break;
	case OP_PICK:	 push(m, pick(m, hd_cfi_u8(r))); break;
	case OP_SWAP:
		b = pop(m);
		a = pop(m);
		push(m, b);
		push(m, a);
		break;
	case OP_ROT:	/* a b c -> c a b */
		c = pop(m);
		b = pop(m);
		a = pop(m);
		push(m, c);
		push(m, a);
		push(m, b);
		break;
	case OP_DEREF:	 deref(m, m->abi->word); break;
	case OP_DEREF_SIZE: deref(m, hd_cfi_u8(r)); break;
	case OP_ABS:
		a = pop(m);
		push(m, as_signed(m, a) < 0 ? -a : a);
		break;
	case OP_NEG:	 push(m, -pop(m)); break;
	case OP_NOT:	 push(m, ~pop(m)); break;
	case OP_PLUS_UCONST: push(m, pop(m) + hd_cfi_uleb(r)); break;
	case OP_AND:
	case OP_DIV:
	case OP_MINUS:
	case OP_MOD:
	case OP_MUL:
	case OP_OR:
	case OP_PLUS:
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA: case OP_XOR: case OP_EQ: case OP_GE: case OP_GT: case OP_LE: case OP_LT: case OP_NE:
		b = pop(m);
		a = pop(m);
		push(m, binary(m, op, a, b));
		break;
	case OP_BRA:	 jump(m, pop(m) != 0); break;
	case OP_SKIP:	 jump(m, true); break;
	case OP_BREGX:	 breg(m, hd_cfi_uleb(r)); break;
	case OP_NOP:	 break;
	case OP_STACK_VALUE: r->p = r->end; break;	/* the result is the top of the stack anyway */
	default:	 m->bad = true;
	}
}

bool hd_cfi_eval(const struct hd_cfi *c, const uint8_t *expr, size_t len, const struct hd_cfi_regs *regs,
		 const struct hd_cfi_memory_reader *memory, const uint64_t *initial, uint64_t *value)
{
	struct machine m;
	unsigned int steps = 0;

	m.r = (struct hd_cfi_reader){ .p = expr, .end = len ? expr + len : expr, .swap = c->in.swap };
	m.start = expr;
	m.regs = regs;
	m.memory = memory;
	m.abi = c->abi;
	m.n = 0;
	m.bad = false;
	if (initial)
		push(&m, *initial);
	while (m.r.p < m.r.end) {
		if (steps++ == STEPS_MAX)
			return false;
		step(&m);
		if (m.bad || m.r.bad)
			return false;
	}
	*value = pop(&m);
	return !m.bad;
}
