/*
 * stack_classes.h - classify the allocated blocks of each stack (KV cache, ...) by rules over its functions
 *
 *     kv_cache     = KvCache::*, *paged_attention*
 *     temp_buffer  = *scratch*
 *
 *     main;decode;KvCache::grow;operator new           kv_cache
 *     main;decode;KvCache::grow;take_scratch;malloc    temp_buffer: the innermost frame with a rule decides
 *
 * A pattern (base/glob.h) must match the whole name of a frame, without parameters, or its name in the symbol table.
 * If rules of several classes match one frame, the class that comes first in the enum wins.
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
 * Split a list of patterns at commas and newlines, but not at commas within <>.  The patterns are appended to `words`,
 * and point into the returned text.  The caller frees this text together with `words`.
 */
char *hd_stack_class_split(struct hd_string_list *words, const char *text);

/* Return an array with the class (enum hd_stack_class) of each stack, indexed by stack id.  The caller frees it. */
uint8_t *hd_stack_classes_build(const struct hd_profile *p, const struct hd_stack_class_rules *rules);

#endif
