/*
 * stack_classes.h - which class the blocks of a stack are of: rules over functions
 *
 *     kv_cache     = KvCache::*, *paged_attention*
 *     temp_buffer  = *scratch*
 *
 *     main;decode;KvCache::grow;operator new           kv_cache
 *     main;decode;KvCache::grow;take_scratch;malloc    temp_buffer: the innermost frame that a rule is about decides
 *
 * Patterns are those of base/glob.h, over a frame's name without parameters or its name in the symbol table, whole.  Of rules
 * about one frame the class that comes first in the enum wins.
 */
#ifndef HD_PROFILE_STACK_CLASSES_H
#define HD_PROFILE_STACK_CLASSES_H

#include "base/string_list.h"
#include "profile/profile.h"

enum hd_stack_class {
	HD_STACK_CLASS_NONE,
	HD_STACK_CLASS_KV_CACHE,
	HD_STACK_CLASS_ACTIVATION,
	HD_STACK_CLASS_TEMP_BUFFER,
	HD_STACK_CLASSES
};

struct hd_stack_class_rules { struct hd_string_list of[HD_STACK_CLASSES]; };

/*
 * Patterns behind each other, parted by commas or line ends; a comma within <> parts nothing.  They are added to `words`,
 * as pieces of the returned text, which is yours to free when words is.
 */
char *hd_stack_class_split(struct hd_string_list *words, const char *text);

/* By stack id, enum hd_stack_class; yours to free. */
uint8_t *hd_stack_classes_build(const struct hd_profile *p, const struct hd_stack_class_rules *rules);

#endif
