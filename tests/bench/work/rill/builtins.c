/* builtins.c - the C functions that scripts can call; some of them call functions of the script */
#include "rill.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static struct object *list_of(struct value v)
{
	if (v.kind != LIST)
		die("a list is wanted");
	return v.object;
}

static struct value do_len(struct vm *vm, struct value *args, int n)
{
	(void)vm;
	if (n == 1 && args[0].kind == STRING)
		return number((double)args[0].object->len);
	return number((double)list_of(args[0])->n);
}

static struct value do_push(struct vm *vm, struct value *args, int n)
{
	(void)vm;
	if (n != 2)
		die("push(list, value)");
	list_push(list_of(args[0]), args[1]);
	return args[0];
}

static struct value do_table(struct vm *vm, struct value *args, int n)
{
	(void)args;
	(void)n;
	return (struct value){ .kind = TABLE, .object = object_new(vm, TABLE) };
}

static struct value do_char(struct vm *vm, struct value *args, int n)
{
	if (n != 2 || args[0].kind != STRING || args[1].kind != NUMBER || args[1].number >= (double)args[0].object->len)
		die("char(text, index)");
	return string_new(vm, &args[0].object->text[(size_t)args[1].number], 1);
}

static struct value do_map(struct vm *vm, struct value *args, int n)
{
	struct value out = { .kind = LIST, .object = object_new(vm, LIST) };

	if (n != 2)
		die("map(list, function)");
	vm->stack[vm->top++] = out;		/* the stack keeps it alive during the calls */
	for (size_t i = 0; i < list_of(args[0])->n; i++) {
		struct value item = args[0].object->items[i];

		list_push(out.object, vm_call(vm, args[1], &item, 1));
	}
	vm->top--;
	return out;
}

/*
 * Return true if a may precede b.  `fn` is the script's less(); it gets (b, a), so that equal items keep their order.
 */
static bool ordered(struct vm *vm, struct value fn, struct value a, struct value b)
{
	struct value args[2] = { b, a };

	return !value_true(vm_call(vm, fn, args, 2));
}

static void merge(struct vm *vm, struct value fn, struct value *a, size_t n, size_t half, struct value *tmp)
{
	size_t i = 0, j = half, k = 0;

	while (i < half && j < n)
		tmp[k++] = ordered(vm, fn, a[i], a[j]) ? a[i++] : a[j++];
	while (i < half)
		tmp[k++] = a[i++];
	memcpy(a, tmp, k * sizeof(*a));
}

static void merge_sort(struct vm *vm, struct value fn, struct value *a, size_t n, struct value *tmp)
{
	if (n < 2)
		return;
	merge_sort(vm, fn, a, n / 2, tmp);
	merge_sort(vm, fn, a + n / 2, n - n / 2, tmp);
	merge(vm, fn, a, n, n / 2, tmp);
}

static struct value do_sort(struct vm *vm, struct value *args, int n)
{
	struct value out = { .kind = LIST, .object = object_new(vm, LIST) };
	struct object *in = list_of(args[0]);
	struct value *tmp;

	if (n != 2)
		die("sort(list, less)");
	/* the second half is scratch memory that the collector marks */
	for (size_t i = 0; i < 2 * in->n; i++)
		list_push(out.object, in->items[i % in->n]);
	tmp = out.object->items + in->n;
	vm->stack[vm->top++] = out;
	merge_sort(vm, args[1], out.object->items, in->n, tmp);
	vm->top--;
	out.object->n = in->n;
	return out;
}

/* Match one character: `.` matches any, `#` a digit, `@` a letter. */
static bool one(char pattern, char c)
{
	switch (pattern) {
	case '.': return c != '\0';
	case '#': return isdigit((unsigned char)c);
	case '@': return isalpha((unsigned char)c);
	default: return pattern == c;
	}
}

static bool match_here(const char *p, const char *t);

static bool match_star(char c, const char *p, const char *t)
{
	const char *from = t;

	while (*t && one(c, *t))
		t++;
	for (;; t--) {
		if (match_here(p, t))
			return true;
		if (t == from)
			return false;
	}
}

static bool match_here(const char *p, const char *t)
{
	if (!*p)
		return true;
	if (p[1] == '*')
		return match_star(*p, p + 2, t);
	return *t && one(*p, *t) && match_here(p + 1, t + 1);
}

static struct value do_match(struct vm *vm, struct value *args, int n)
{
	const char *t;

	(void)vm;
	if (n != 2 || args[0].kind != STRING || args[1].kind != STRING)
		die("match(pattern, text)");
	for (t = args[1].object->text; *t; t++)
		if (match_here(args[0].object->text, t))
			return number(1 + (double)(t - args[1].object->text));
	return number(0);
}

void builtins_add(struct vm *vm)
{
	static const struct { const char *name; builtin_fn fn; } all[] = {
		{ "len", do_len }, { "push", do_push }, { "table", do_table }, { "char", do_char },
		{ "map", do_map }, { "sort", do_sort }, { "match", do_match },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		table_put(vm->globals, string_new(vm, all[i].name, strlen(all[i].name)).object,
			  (struct value){ .kind = BUILTIN, .builtin = all[i].fn });
}
