/*
 * stack_classes.c - see stack_classes.h
 */
#include "profile/stack_classes.h"

#include "base/mem.h"
#include "base/glob.h"

#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

char *hd_stack_class_split(struct hd_string_list *words, const char *text)
{
	char *copy = hd_strdup(text), *at = copy;

	while (*at) {
		char *begin = at + strspn(at, blanks), *end;
		unsigned depth = 0;
		bool last;

		for (end = begin; *end && *end != '\n' && (*end != ',' || depth); end++)
			depth = *end == '<' ? depth + 1 : *end == '>' && depth ? depth - 1 : depth;
		last = !*end;
		at = last ? end : end + 1;
		while (end > begin && strchr(blanks, end[-1]))
			end--;
		*end = 0;
		if (end > begin) {
			HD_GROW(words->items, words->n + 1, words->cap);
			words->items[words->n++] = begin;
		}
	}
	return copy;
}

static bool matches(const struct hd_string_list *patterns, const char *name)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (hd_glob(patterns->items[i], strlen(patterns->items[i]), name, strlen(name)))
			return true;
	return false;
}

static uint8_t class_of_symbol(const struct hd_profile *p, const struct hd_profile_symbol *s,
	const struct hd_stack_class_rules *rules)
{
	const char *name = hd_profile_str(p, s->name), *linkage = hd_profile_str(p, s->linkage);

	if (s->unresolved)
		return HD_STACK_CLASS_NONE;
	for (uint8_t c = HD_STACK_CLASS_NONE + 1; c < HD_STACK_CLASSES; c++)
		if (matches(&rules->of[c], name) || matches(&rules->of[c], linkage))
			return c;
	return HD_STACK_CLASS_NONE;
}

uint8_t *hd_stack_classes_build(const struct hd_profile *p, const struct hd_stack_class_rules *rules)
{
	uint32_t n = hd_stacks_count(p->stacks);
	const struct hd_stack_node *nodes = hd_stacks_nodes(p->stacks);
	uint8_t *of_symbol = hd_new_array(uint8_t, p->nsymbols), *of_stack = hd_new_array(uint8_t, n);

	for (size_t i = 0; i < p->nsymbols; i++)
		of_symbol[i] = class_of_symbol(p, &p->symbols[i], rules);
	for (uint32_t id = 1; id < n; id++) {
		uint8_t own = of_symbol[p->frames[nodes[id].frame].symbol];

		of_stack[id] = own != HD_STACK_CLASS_NONE ? own : of_stack[nodes[id].caller];
	}
	free(of_symbol);
	return of_stack;
}
