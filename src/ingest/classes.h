/*
 * classes.h - which class the blocks of a stack are of: rules over functions
 *
 *     kv_cache     = KvCache::*, *paged_attention*
 *     temp_buffer  = *scratch*
 *
 *     main;decode;KvCache::grow;operator new           kv_cache
 *     main;decode;KvCache::grow;take_scratch;malloc    temp_buffer: the innermost frame that a rule is about decides
 *
 * Patterns are those of glob.h, over a frame's name without parameters or its name in the symbol table, whole.  Of rules
 * about one frame the class that comes first in the enum wins.
 */
#ifndef HD_INGEST_CLASSES_H
#define HD_INGEST_CLASSES_H

#include "base/words.h"
#include "profile/profile.h"

enum hd_class { HD_CLASS_NONE, HD_CLASS_KV_CACHE, HD_CLASS_ACTIVATION, HD_CLASS_TEMP_BUFFER, HD_CLASSES };

struct hd_class_rules { struct hd_words of[HD_CLASSES]; };

/*
 * Patterns behind each other, parted by commas or line ends; a comma within <> parts nothing.  They are added to `words`,
 * as pieces of the returned text, which is yours to free when words is.
 */
char *hd_class_split(struct hd_words *words, const char *text);

/* By stack id, enum hd_class; yours to free. */
uint8_t *hd_classes_of_stacks(const struct hd_profile *p, const struct hd_class_rules *rules);

#endif
