/*
 * hash.c - see hash.h
 */
#include "base/hash.h"

const char hd_hash_seed[1] = "";
