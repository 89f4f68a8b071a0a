/*
 * plants.h - the types and functions that the source files of make-recording share
 *
 *     make-recording.c   the list of cases, perf.data, the plants of threads, files, symbols, events, header texts
 *     places.c           the other places: MMAP2, KSYMBOL, CGROUP, EVENT_UPDATE, tracepoints, kallsyms, debug links
 *     dwarf.c            an ELF file with DWARF: source files, a folder, inlined functions
 */
#ifndef HD_TESTS_INJECTION_PLANTS_H
#define HD_TESTS_INJECTION_PLANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_CASES = 512, SINKS = 9 };

struct bytes {
	char *p;
	size_t n, cap;
};

struct name {
	struct bytes raw;
	struct bytes was;	/* the hostile name, even if a harmless one is written instead */
	char *want[SINKS];
};

struct feature {
	unsigned int bit;
	struct bytes section;
};

enum { SAMPLE_IP = 1, SAMPLE_TID = 2, SAMPLE_PERIOD = 256, SAMPLE_IDENTIFIER = 1 << 16 };
enum { RECORD_MMAP = 1, RECORD_COMM = 3, RECORD_SAMPLE = 9, RECORD_MMAP2 = 10, RECORD_KSYMBOL = 17, RECORD_CGROUP = 19,
       RECORD_ATTR = 64, RECORD_EVENT_UPDATE = 78, MISC_KERNEL = 1, MISC_USER = 2 };
enum { PID = 7, BASE = 0x400000, STEP = 16, TEXT_AT = 0x1000, TEXT_BYTES = MAX_CASES * STEP };

_Noreturn void die(const char *what, const char *which);
void put(struct bytes *b, const void *p, size_t n);
void put16(struct bytes *b, uint16_t v);
void put32(struct bytes *b, uint32_t v);
void put64(struct bytes *b, uint64_t v);
void pad(struct bytes *b, size_t unit);
void save(const char *dir, const char *file, const struct bytes *b);

size_t begin(struct bytes *b, uint32_t type, uint16_t misc);
void finish(struct bytes *b, size_t at);
void comm(struct bytes *b, uint32_t pid, const struct bytes *name);
void map(struct bytes *b, uint32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff, const char *name, size_t n);
void samples(struct bytes *b, size_t n, uint64_t id, uint32_t pid, uint64_t ip);
void kernel_samples(struct bytes *b, size_t n, uint64_t ip);
void attr(struct bytes *b, uint32_t type, uint64_t config);
void write_recording(const char *dir, const char *file, size_t nevents, const struct bytes *data, struct feature *f,
	size_t nf);
void write_want(const char *dir, const char *plant, const struct name *names, size_t n);
bool has(const struct bytes *b, char c);
bool fits(const char *plant, const struct name *name);
void make_folder(const char *dir, const char *name);

extern const struct bytes app;		/* the process's own name */

void plant_places(const char *dir, const struct name *names, size_t n);
void plant_dwarf(const char *dir, const struct name *names, size_t n);

#endif
