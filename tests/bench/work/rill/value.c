/* value.c - strings, lists, tables, and the garbage collector */
#include "rill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void die(const char *what)
{
	fprintf(stderr, "rill: %s\n", what);
	exit(1);
}

void *grow(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		die("no memory");
	return p;
}

/* ---- the collector: mark by recursion from stack, globals and code; sweep the list of all objects */

static void mark(struct object *o);

static void mark_value(struct value v)
{
	if (v.kind >= STRING && v.kind <= FUNCTION && v.object)
		mark(v.object);
}

static void mark(struct object *o)
{
	if (o->marked)
		return;
	o->marked = true;
	if (o->kind == LIST)
		for (size_t i = 0; i < o->n; i++)
			mark_value(o->items[i]);
	if (o->kind == TABLE)
		for (size_t i = 0; i < o->nslots; i++)
			if (o->slots[i].key) {
				mark(o->slots[i].key);
				mark_value(o->slots[i].value);
			}
}

static void object_free(struct object *o)
{
	if (o->kind == STRING)
		free(o->text);
	else if (o->kind == LIST)
		free(o->items);
	else if (o->kind == TABLE)
		free(o->slots);
	free(o);
}

static void sweep(struct vm *vm)
{
	struct object **link = &vm->objects;

	while (*link) {
		struct object *o = *link;

		if (o->marked) {
			o->marked = false;
			link = &o->next;
		} else {
			*link = o->next;
			object_free(o);
			vm->nobjects--;
		}
	}
}

static void collect(struct vm *vm)
{
	for (size_t i = 0; i < vm->top; i++)
		mark_value(vm->stack[i]);
	mark(vm->globals);
	for (struct code *c = vm->codes; c; c = c->next)
		for (size_t i = 0; i < c->nconsts; i++)
			mark_value(c->consts[i]);
	sweep(vm);
	vm->collect_at = 2 * vm->nobjects + 4096;
}

struct object *object_new(struct vm *vm, enum kind kind)
{
	struct object *o = calloc(1, sizeof(*o));

	if (!o)
		die("no memory");
	o->kind = kind;
	o->next = vm->objects;
	vm->objects = o;
	vm->nobjects++;
	return o;
}

void vm_init(struct vm *vm)
{
	*vm = (struct vm){ .collect_at = 4096, .stack = grow(NULL, STACK_SLOTS * sizeof(struct value)) };
	vm->globals = object_new(vm, TABLE);
	builtins_add(vm);
}

void vm_release(struct vm *vm)
{
	while (vm->objects) {
		struct object *o = vm->objects;

		vm->objects = o->next;
		object_free(o);
	}
	while (vm->codes) {
		struct code *c = vm->codes;

		vm->codes = c->next;
		free(c->ops);
		free(c->consts);
		free(c);
	}
	free(vm->stack);
}

void vm_collect_when_due(struct vm *vm)
{
	if (vm->nobjects > vm->collect_at)
		collect(vm);
}

/* ---- strings, lists, tables */

static uint32_t hash(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h;
}

struct value string_new(struct vm *vm, const char *text, size_t len)
{
	struct object *o = object_new(vm, STRING);

	o->text = grow(NULL, len + 1);
	memcpy(o->text, text, len);
	o->text[len] = '\0';
	o->len = len;
	o->hash = hash(text, len);
	return (struct value){ .kind = STRING, .object = o };
}

void list_push(struct object *list, struct value v)
{
	if (list->n == list->cap) {
		list->cap = list->cap ? 2 * list->cap : 4;
		list->items = grow(list->items, list->cap * sizeof(v));
	}
	list->items[list->n++] = v;
}

static struct entry *slot_of(struct entry *slots, size_t n, const struct object *key)
{
	size_t i = key->hash & (n - 1);

	while (slots[i].key && (slots[i].key->len != key->len || memcmp(slots[i].key->text, key->text, key->len)))
		i = (i + 1) & (n - 1);
	return &slots[i];
}

struct value *table_find(struct object *table, const struct object *key)
{
	struct entry *e;

	if (!table->nslots)
		return NULL;
	e = slot_of(table->slots, table->nslots, key);
	return e->key ? &e->value : NULL;
}

static void rehash(struct object *table)
{
	size_t n = table->nslots ? 2 * table->nslots : 8;
	struct entry *slots = calloc(n, sizeof(*slots));

	if (!slots)
		die("no memory");
	for (size_t i = 0; i < table->nslots; i++)
		if (table->slots[i].key)
			*slot_of(slots, n, table->slots[i].key) = table->slots[i];
	free(table->slots);
	table->slots = slots;
	table->nslots = n;
}

void table_put(struct object *table, struct object *key, struct value v)
{
	struct entry *e;

	if (4 * (table->used + 1) > 3 * table->nslots)
		rehash(table);
	e = slot_of(table->slots, table->nslots, key);
	if (!e->key) {
		e->key = key;
		table->used++;
	}
	e->value = v;
}

bool value_equal(struct value a, struct value b)
{
	if (a.kind != b.kind)
		return false;
	if (a.kind == NUMBER)
		return a.number == b.number;
	if (a.kind == STRING)
		return a.object->len == b.object->len && !memcmp(a.object->text, b.object->text, a.object->len);
	return a.kind == NIL || a.object == b.object;
}

bool value_true(struct value v)
{
	return v.kind != NIL && !(v.kind == NUMBER && v.number == 0);
}
