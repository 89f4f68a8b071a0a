/* emit.c - compile a syntax tree to code for a stack machine; names of local variables become slots */
#include "rill.h"

#include <stdlib.h>
#include <string.h>

enum { LOCALS = 64 };

struct scope {
	struct vm *vm;
	struct code *code;
	bool global;			/* names at the top are global */
	struct { const char *text; size_t len; } local[LOCALS];
};

static void emit(struct scope *s, const struct node *node);

static size_t put(struct scope *s, enum op op, int arg)
{
	struct code *c = s->code;

	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 32;
		c->ops = grow(c->ops, c->cap * sizeof(*c->ops));
	}
	c->ops[c->n].op = (uint8_t)op;
	c->ops[c->n].arg = arg;
	return c->n++;
}

static int constant(struct scope *s, struct value v)
{
	struct code *c = s->code;

	for (size_t i = 0; i < c->nconsts; i++)
		if (value_equal(c->consts[i], v))
			return (int)i;
	if (c->nconsts == c->consts_cap) {
		c->consts_cap = c->consts_cap ? 2 * c->consts_cap : 8;
		c->consts = grow(c->consts, c->consts_cap * sizeof(*c->consts));
	}
	c->consts[c->nconsts] = v;
	return (int)c->nconsts++;
}

static int find_local(const struct scope *s, const struct node *name)
{
	for (int i = s->code->nlocals - 1; i >= 0; i--)
		if (s->local[i].len == name->len && !memcmp(s->local[i].text, name->text, name->len))
			return i;
	return -1;
}

static int add_local(struct scope *s, const struct node *name)
{
	if (s->code->nlocals == LOCALS)
		die("a function has too many names");
	s->local[s->code->nlocals].text = name->text;
	s->local[s->code->nlocals].len = name->len;
	return s->code->nlocals++;
}

static int global_name(struct scope *s, const struct node *name)
{
	return constant(s, string_new(s->vm, name->text, name->len));
}

static int emit_all(struct scope *s, const struct node *list)
{
	int n = 0;

	for (; list; list = list->next, n++)
		emit(s, list);
	return n;
}

static struct code *code_new(struct vm *vm)
{
	struct code *c = calloc(1, sizeof(*c));

	if (!c)
		die("no memory");
	c->next = vm->codes;
	vm->codes = c;
	return c;
}

static void emit_function(struct scope *outer, const struct node *node)
{
	struct scope s = { .vm = outer->vm, .code = code_new(outer->vm) };
	struct object *fn;

	for (const struct node *p = node->list; p; p = p->next)
		add_local(&s, p);
	s.code->nparams = s.code->nlocals;
	emit(&s, node->kid[0]);
	put(&s, OP_CONST, constant(&s, (struct value){ .kind = NIL }));
	put(&s, OP_RETURN, 0);
	fn = object_new(outer->vm, FUNCTION);
	fn->code = s.code;
	put(outer, OP_CONST, constant(outer, (struct value){ .kind = FUNCTION, .object = fn }));
	put(outer, OP_SET_GLOBAL, global_name(outer, node));
}

static void emit_binary(struct scope *s, const struct node *node)
{
	size_t jump;

	emit(s, node->kid[0]);
	switch (node->op) {
	case T_AND:
	case T_OR:
		jump = put(s, node->op == T_AND ? OP_JUMP_IF_NOT_KEEP : OP_JUMP_IF_KEEP, 0);
		put(s, OP_POP, 0);
		emit(s, node->kid[1]);
		s->code->ops[jump].arg = (int)s->code->n;
		return;
	case '>':
	case T_GE:	/* a > b is !(a <= b), because numbers of this language are never NaN */
		emit(s, node->kid[1]);
		put(s, node->op == '>' ? OP_LE : OP_LT, 0);
		put(s, OP_NOT, 0);
		return;
	case T_NE:
		emit(s, node->kid[1]);
		put(s, OP_EQ, 0);
		put(s, OP_NOT, 0);
		return;
	}
	emit(s, node->kid[1]);
	switch (node->op) {
	case '+': put(s, OP_ADD, 0); break;
	case '-': put(s, OP_SUB, 0); break;
	case '*': put(s, OP_MUL, 0); break;
	case '/': put(s, OP_DIV, 0); break;
	case '%': put(s, OP_MOD, 0); break;
	case '<': put(s, OP_LT, 0); break;
	case T_LE: put(s, OP_LE, 0); break;
	case T_EQ: put(s, OP_EQ, 0); break;
	}
}

static void emit_condition(struct scope *s, const struct node *node)
{
	size_t start = s->code->n, jump, over;

	emit(s, node->kid[0]);
	jump = put(s, OP_JUMP_IF_NOT, 0);
	emit(s, node->kid[1]);
	if (node->kind == N_WHILE)
		put(s, OP_JUMP, (int)start);
	if (node->kid[2]) {
		over = put(s, OP_JUMP, 0);
		s->code->ops[jump].arg = (int)s->code->n;
		emit(s, node->kid[2]);
		jump = over;
	}
	s->code->ops[jump].arg = (int)s->code->n;
}

static void emit_name(struct scope *s, const struct node *name, bool set, bool declare)
{
	int slot = find_local(s, name);

	if (slot < 0 && declare && !s->global)
		slot = add_local(s, name);
	if (slot >= 0)
		put(s, set ? OP_SET_LOCAL : OP_LOCAL, slot);
	else
		put(s, set ? OP_SET_GLOBAL : OP_GLOBAL, global_name(s, name));
}

static void emit(struct scope *s, const struct node *node)
{
	switch (node->kind) {
	case N_NUMBER: put(s, OP_CONST, constant(s, number(node->number))); break;
	case N_STRING: put(s, OP_CONST, constant(s, string_new(s->vm, node->text, node->len))); break;
	case N_NAME: emit_name(s, node, false, false); break;
	case N_LIST: put(s, OP_LIST, emit_all(s, node->list)); break;
	case N_BINARY: emit_binary(s, node); break;
	case N_NOT: emit(s, node->kid[0]); put(s, OP_NOT, 0); break;
	case N_NEGATE: emit(s, node->kid[0]); put(s, OP_NEGATE, 0); break;
	case N_INDEX: emit(s, node->kid[0]); emit(s, node->kid[1]); put(s, OP_INDEX, 0); break;
	case N_CALL: emit(s, node->kid[0]); put(s, OP_CALL, emit_all(s, node->list)); break;
	case N_LET: emit(s, node->kid[0]); emit_name(s, node, true, true); break;
	case N_ASSIGN: emit(s, node->kid[1]); emit_name(s, node->kid[0], true, false); break;
	case N_STORE:
		emit(s, node->kid[0]->kid[0]);
		emit(s, node->kid[0]->kid[1]);
		emit(s, node->kid[1]);
		put(s, OP_STORE, 0);
		break;
	case N_IF:
	case N_WHILE: emit_condition(s, node); break;
	case N_RETURN: emit(s, node->kid[0]); put(s, OP_RETURN, 0); break;
	case N_BLOCK: emit_all(s, node->list); break;
	case N_FN: emit_function(s, node); break;
	case N_EXPR: emit(s, node->kid[0]); put(s, OP_POP, 0); break;
	}
}

struct code *emit_program(struct vm *vm, const struct node *program)
{
	struct scope s = { .vm = vm, .code = code_new(vm), .global = true };

	emit(&s, program);
	put(&s, OP_CONST, constant(&s, (struct value){ .kind = NIL }));
	put(&s, OP_RETURN, 0);
	return s.code;
}
