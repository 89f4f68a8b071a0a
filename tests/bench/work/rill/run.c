/* run.c - the stack machine that runs the code */
#include "rill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct value add(struct vm *vm, struct value a, struct value b)
{
	char text[128];
	int n;

	if (a.kind == NUMBER && b.kind == NUMBER)
		return number(a.number + b.number);
	if (a.kind != STRING)
		die("+ wants two numbers, or a string and something");
	if (b.kind == STRING)
		n = snprintf(text, sizeof(text), "%.60s%.60s", a.object->text, b.object->text);
	else
		n = snprintf(text, sizeof(text), "%.60s%g", a.object->text, b.kind == NUMBER ? b.number : 0.0);
	return string_new(vm, text, (size_t)n);
}

static struct value arithmetic(enum op op, struct value a, struct value b)
{
	if (a.kind != NUMBER || b.kind != NUMBER)
		die("arithmetic wants numbers");
	switch (op) {
	case OP_SUB: return number(a.number - b.number);
	case OP_MUL: return number(a.number * b.number);
	case OP_DIV: return number(b.number == 0 ? 0 : a.number / b.number);
	case OP_MOD: return number(b.number == 0 ? 0 : fmod(a.number, b.number));
	case OP_LT: return number(a.number < b.number);
	default: return number(a.number <= b.number);
	}
}

static struct value less(enum op op, struct value a, struct value b)
{
	if (a.kind == STRING && b.kind == STRING) {
		int c = strcmp(a.object->text, b.object->text);

		return number(op == OP_LT ? c < 0 : c <= 0);
	}
	return arithmetic(op, a, b);
}

static struct value *element(struct value container, struct value index)
{
	if (container.kind == LIST && index.kind == NUMBER && index.number >= 0 &&
		index.number < (double)container.object->n)
		return &container.object->items[(size_t)index.number];
	if (container.kind == TABLE && index.kind == STRING)
		return table_find(container.object, index.object);
	if (container.kind != TABLE)
		die("an index is outside of its list");
	return NULL;
}

static void store(struct value container, struct value index, struct value v)
{
	if (container.kind == TABLE && index.kind == STRING)
		table_put(container.object, index.object, v);
	else
		*element(container, index) = v;
}

static struct value run(struct vm *vm, const struct code *code, size_t base)
{
	struct value *s = vm->stack, v, *found;

	for (size_t pc = 0; ; pc++) {
		int32_t arg = code->ops[pc].arg;

		switch ((enum op)code->ops[pc].op) {
		case OP_CONST: s[vm->top++] = code->consts[arg]; break;
		case OP_LOCAL: s[vm->top] = s[base + (size_t)arg]; vm->top++; break;
		case OP_SET_LOCAL: s[base + (size_t)arg] = s[--vm->top]; break;
		case OP_GLOBAL:
			found = table_find(vm->globals, code->consts[arg].object);
			if (!found)
				die("a name is not known");
			s[vm->top++] = *found;
			break;
		case OP_SET_GLOBAL: table_put(vm->globals, code->consts[arg].object, s[vm->top - 1]); vm->top--; break;
		case OP_POP: vm->top--; break;
		case OP_LIST:
			v = (struct value){ .kind = LIST, .object = object_new(vm, LIST) };
			for (int32_t i = arg; i > 0; i--)
				list_push(v.object, s[vm->top - (size_t)i]);
			vm->top -= (size_t)arg;
			s[vm->top++] = v;
			break;
		case OP_INDEX:
			found = element(s[vm->top - 2], s[vm->top - 1]);
			vm->top--;
			s[vm->top - 1] = found ? *found : (struct value){ .kind = NIL };
			break;
		case OP_STORE: store(s[vm->top - 3], s[vm->top - 2], s[vm->top - 1]); vm->top -= 3; break;
		case OP_ADD: v = add(vm, s[vm->top - 2], s[vm->top - 1]); s[--vm->top - 1] = v; break;
		case OP_SUB:
		case OP_MUL:
		case OP_DIV:
		case OP_MOD:
			v = arithmetic((enum op)code->ops[pc].op, s[vm->top - 2], s[vm->top - 1]);
			s[--vm->top - 1] = v;
			break;
		case OP_LT:
		case OP_LE:
			v = less((enum op)code->ops[pc].op, s[vm->top - 2], s[vm->top - 1]);
			s[--vm->top - 1] = v;
			break;
		case OP_EQ: v = number(value_equal(s[vm->top - 2], s[vm->top - 1])); s[--vm->top - 1] = v; break;
		case OP_NOT: s[vm->top - 1] = number(!value_true(s[vm->top - 1])); break;
		case OP_NEGATE: s[vm->top - 1] = arithmetic(OP_SUB, number(0), s[vm->top - 1]); break;
		case OP_JUMP:
			vm_collect_when_due(vm);
			pc = (size_t)arg - 1;
			break;
		case OP_JUMP_IF_NOT: if (!value_true(s[--vm->top])) pc = (size_t)arg - 1; break;
		case OP_JUMP_IF_NOT_KEEP: if (!value_true(s[vm->top - 1])) pc = (size_t)arg - 1; break;
		case OP_JUMP_IF_KEEP: if (value_true(s[vm->top - 1])) pc = (size_t)arg - 1; break;
		case OP_CALL: {
			size_t at = vm->top - (size_t)arg;

			v = vm_call(vm, s[at - 1], &s[at], arg);
			vm->top = at;
			s[at - 1] = v;
			break;
		}
		case OP_RETURN: return s[vm->top - 1];
		}
	}
}

struct value vm_call(struct vm *vm, struct value fn, const struct value *args, int n)
{
	size_t base = vm->top;
	const struct code *code;
	struct value v;

	if (fn.kind == BUILTIN)
		return fn.builtin(vm, (struct value *)args, n);
	if (fn.kind != FUNCTION || n != fn.object->code->nparams)
		die("a call does not fit its function");
	code = fn.object->code;
	if (base + (size_t)code->nlocals + 256 > STACK_SLOTS)
		die("calls are too deep");
	vm_collect_when_due(vm);
	memmove(&vm->stack[base], args, (size_t)n * sizeof(*args));
	memset(&vm->stack[base + (size_t)n], 0, (size_t)(code->nlocals - n) * sizeof(*args));
	vm->top = base + (size_t)code->nlocals;
	v = run(vm, code, base);
	vm->top = base;
	return v;
}

struct value vm_run_text(struct vm *vm, const char *source)
{
	struct tree tree = { 0 };
	struct code *code = emit_program(vm, parse(&tree, source));
	struct value v;

	tree_release(&tree);
	v = run(vm, code, vm->top);
	vm->top--;
	return v;
}
