/*
 * machine.h - make a synthetic sysfs tree, a clock that the test sets, and a power meter that uses both
 */
#ifndef TESTS_UNIT_TRACK_MACHINE_H
#define TESTS_UNIT_TRACK_MACHINE_H

#include "test.h"
#include "../tmpdir.h"

#include "track/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct machine {
	char *root;
	uint64_t now_ns;
	struct hd_power_config config;
	struct hd_power_meter *meter;
	struct hd_power_sample *room;
};

static inline uint64_t machine_now(void *arg)
{
	return ((struct machine *)arg)->now_ns;
}

/* Make the machine.  The caller must not copy or move *m afterwards, because its configuration has a pointer to it. */
static inline void machine_make(struct machine *m)
{
	*m = (struct machine){ .root = tmpdir(), .now_ns = 1000000000000u };
	m->config = (struct hd_power_config){
		.sysfs = m->root,
		.nvml = "/nonexistent/libnvidia-ml.so.1",
		.constant_watts = NAN,
		.now_ns = machine_now,
		.now_arg = m,
	};
}

static inline void machine_put(struct machine *m, const char *path, const char *text)
{
	put_rooted(m->root, path, text);
}

/* Make or change a powercap zone: write these contents to its files; NULL: leave the file as it is. */
static inline void machine_zone(struct machine *m, const char *zone, const char *name, const char *energy,
				const char *range)
{
	static const char *const files[] = { "name", "energy_uj", "max_energy_range_uj" };
	const char *const text[] = { name, energy, range };

	for (size_t i = 0; i < 3; i++) {
		char path[256];

		snprintf(path, sizeof(path), "/class/powercap/%s/%s", zone, files[i]);
		if (text[i])
			machine_put(m, path, text[i]);
	}
}

static inline void machine_open(struct machine *m)
{
	EXPECT_INT(hd_power_open(&m->meter, &m->config), HD_TRACK_OK);
	m->room = calloc(hd_power_domains(m->meter) + 1, sizeof(*m->room));
}

static inline const struct hd_power_source *machine_source(struct machine *m, const char *name)
{
	for (size_t i = 0; i < hd_power_sources(m->meter); i++)
		if (!strcmp(hd_power_source(m->meter, i)->name, name))
			return hd_power_source(m->meter, i);
	return NULL;
}

static inline const struct hd_power_domain *machine_domain(struct machine *m, const char *name)
{
	for (size_t i = 0; i < hd_power_domains(m->meter); i++)
		if (!strcmp(hd_power_domain(m->meter, i)->name, name))
			return hd_power_domain(m->meter, i);
	return NULL;
}

/* Read all domains `ms` later; returns the number of samples, which are in m->room. */
static inline size_t machine_read(struct machine *m, unsigned ms)
{
	m->now_ns += ms * 1000000u;
	return hd_power_read(m->meter, HD_POWER_ALL, m->room);
}

static inline void machine_release(struct machine *m)
{
	hd_power_close(m->meter);
	free(m->room);
	tmpdir_remove(m->root);
}

#endif
