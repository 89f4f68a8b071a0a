/* rules.c - compute all rules of one address */
#include "cfi/index.h"

/* Get the bytes of an expression.  program.c has checked that they are in the section. */
static void expression(const struct hd_cfi_interpreter *run, int64_t place, struct hd_cfi_rule *out)
{
	const struct hd_cfi_section *sec = &run->part->sec;
	struct hd_cfi_reader r = { .p = sec->bytes + place, .end = sec->bytes + sec->size, .swap = run->c->in.swap };

	out->expr_len = (uint32_t)hd_cfi_uleb(&r);
	out->expr = r.p;
}

static void unpack(const struct hd_cfi_interpreter *run, hd_cfi_packed_rule rule, struct hd_cfi_rule *out)
{
	int64_t operand = hd_cfi_packed_operand(rule);

	*out = (struct hd_cfi_rule){ .kind = (uint8_t)hd_cfi_packed_kind(rule) };
	switch (hd_cfi_packed_kind(rule)) {
	case HD_RULE_SAME:
	case HD_RULE_UNDEFINED:
		break;
	case HD_RULE_OFFSET:
	case HD_RULE_VAL_OFFSET:
		out->off = operand;
		break;
	case HD_RULE_REGISTER:
		if (operand < run->c->abi->nregs)
			out->reg = (uint8_t)operand;
		else
			out->kind = HD_RULE_UNDEFINED;	/* a register that is not tracked */
		break;
	case HD_RULE_EXPR:
	case HD_RULE_VAL_EXPR:
		expression(run, operand, out);
		break;
	}
}

bool hd_cfi_rules(struct hd_cfi *c, uint64_t vaddr, struct hd_cfi_rules *out)
{
	const struct hd_cfi_indexed_section *part;
	struct hd_cfi_fde fde;
	struct hd_cfi_interpreter run;
	size_t i;

	if (!hd_cfi_find(c, vaddr, &part, &i) || !hd_cfi_fde_at(c, part, i, &fde))
		return false;
	hd_cfi_interpreter_start(&run, c, part, &fde);
	do {
		if (hd_cfi_interpreter_next(&run) <= 0)
			return false;
	} while (vaddr >= run.to);

	*out = (struct hd_cfi_rules){ .ra = fde.cie.ra, .flags = run.now.flags };
	if (run.now.cfa_expr) {
		out->cfa.kind = HD_RULE_VAL_EXPR;
		expression(&run, run.now.cfa_expr, &out->cfa);
	} else {
		out->cfa = (struct hd_cfi_rule){ .kind = HD_RULE_REGISTER,
			.reg = run.now.cfa_reg,
			.off = run.now.cfa_off };
	}
	for (unsigned int reg = 0; reg < c->abi->nregs; reg++)
		unpack(&run, run.now.reg[reg], &out->reg[reg]);
	return true;
}
