/*
 * power.h - one interface to the power sources of this machine
 *
 *     struct hd_power_config config = hd_power_config();
 *     hd_power_open(&meter, &config);
 *     for each source: hd_power_source(meter, i)->state and ->why describe it
 *     room = malloc(hd_power_domains(meter) * sizeof(*room));
 *     every 100 ms: n = hd_power_read(meter, HD_POWER_ALL, room);
 *     hd_power_close(meter);
 *
 * A source is one way to measure: RAPL by powercap, NVML, hwmon, a battery, a constant.  A domain is one number that a
 * source reports: a package, a GPU.  Sources without a usable domain are listed, with the reason.  Unusable domains are
 * listed too, but are never read.
 *
 * Values: watts, joules and seconds.  A domain reports watts, a cumulative counter of joules, or both; the missing
 * one is NaN.  The counter is 0 at the first reading and never falls: wraps of the hardware counter are resolved.  A
 * value that cannot be read is NaN, never 0; if a reading has no value at all, there is no sample.
 *
 * Times: nanoseconds since 1970.  They are CLOCK_REALTIME at open plus the CLOCK_MONOTONIC time since then, so that
 * they rise even if the clock is set meanwhile.  Each sample has the time of its own reading.
 *
 * Ownership: hd_power_meter owns sources and domains; the pointers are valid until hd_power_close().
 *
 * Errors: enum hd_track_status (status.h).  Not thread-safe.  Never exits, prints, or touches signals.
 *
 * Sources of the formats: Documentation/power/powercap/powercap.rst, Documentation/hwmon/sysfs-interface.rst and
 * Documentation/ABI/testing/sysfs-class-power of the Linux kernel; for NVML see track/nvml.h.
 */
#ifndef HD_TRACK_POWER_H
#define HD_TRACK_POWER_H

#include "track/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HD_POWER_NAME = 64,
	HD_POWER_QUANTITY = 96,
	HD_POWER_WHY = 256,
	HD_POWER_PATH = 1024,
	HD_POWER_DOMAINS_MAX = 256
};

enum hd_power_state {
	HD_POWER_USABLE,
	HD_POWER_ABSENT,	/* this machine has no such source */
	HD_POWER_DENIED,	/* reading the source needs root, or a udev rule that permits a group to read it */
	HD_POWER_UNSUPPORTED,	/* the driver or the device does not support it, or a battery is not discharging */
	HD_POWER_NO_LIBRARY,	/* the library of the driver cannot be loaded, or lacks a required function */
	HD_POWER_BROKEN,	/* the source exists, but its content is invalid, or reading it fails */
};

/* Return the name of a state, a constant: "usable", "absent", "denied", "unsupported", "no library", "broken". */
const char *hd_power_state_name(enum hd_power_state state);

struct hd_power_domain {
	/* power.csv is the file that `hotdrift sample` writes (docs/power.md) */
	char source[HD_POWER_NAME];	/* "intel-rapl"; the column `source` of power.csv */
	char name[HD_POWER_NAME];	/* "package-0"; unique within `source`; column `domain` of power.csv */
	char quantity[HD_POWER_QUANTITY];	/* what the number is read from: "energy_uj", "field 186 (instant)" */
	char path[HD_POWER_PATH];	/* the folder in sysfs; for NVML the uuid of the GPU; may be empty */
	enum hd_power_state state;
	/* if not usable: the reason, with a remedy; if usable: why the latest failed reading failed */
	char why[HD_POWER_WHY];
	bool has_watts, has_joules;	/* whether its samples have watts, and joules */
	/* what was observed while reading */
	size_t reads;			/* number of readings */
	size_t fresh;			/* number of readings with a new value */
	size_t failed;			/* number of readings without a value */
	size_t wraps;			/* wraps of the hardware counter, which are corrected */
	/* number of pairs of readings that are so far apart that the counter may have wrapped around once more */
	size_t hidden_wraps;
	/* number of times that a counter which cannot wrap around fell; the joules of each such step are lost */
	size_t resets;
	double range_joules;		/* the counter wraps after this many joules; NaN: it does not wrap */
	double update_period_s;		/* median time between new values (of watts if it has them); NaN: unknown */
	double counter_period_s;	/* median time between new counter values; NaN: unknown */
};

struct hd_power_source {
	const char *name;		/* "rapl", "nvml", "hwmon", "battery", "constant" */
	enum hd_power_state state;	/* HD_POWER_USABLE: at least one domain is usable */
	char why[HD_POWER_WHY];		/* if not usable: the reason and a remedy; if usable: a limitation, or "" */
	size_t first, n;		/* the source has the domains first .. first + n - 1 */
};

struct hd_power_sample {
	uint64_t t_ns;
	size_t domain;			/* index for hd_power_domain() */
	double watts, joules_cum;	/* NaN: not reported by this domain */
	/*
	 * true if this is not a new measurement: the watts equal those of the previous reading or, if there are no
	 * watts, the counter does
	 */
	bool stale;
};

struct hd_power_config {
	const char *sysfs;		/* instead of /sys; NULL is the default */
	const char *nvml;		/* instead of libnvidia-ml.so.1; NULL is the default */
	/* open only the source with this name, such as "rapl"; NULL: all.  The others get state ABSENT */
	const char *only;
	double constant_watts;		/* NaN: no constant source */
	uint64_t (*now_ns)(void *);	/* clock for the times of samples; NULL: as described above */
	void *now_arg;
};

/*
 * Return the configuration from the environment: HOTDRIFT_SYSFS, HOTDRIFT_NVML, without a constant source.  The strings
 * are borrowed from the environment.
 */
struct hd_power_config hd_power_config(void);

/* The clock of all samples: see Times above. */
struct hd_power_clock {
	/* values of the real-time and the monotonic clock when this clock was started */
	uint64_t real_ns, mono_ns;
	uint64_t (*now_ns)(void *);
	void *now_arg;
};

struct hd_power_clock hd_power_clock(const struct hd_power_config *config);
uint64_t hd_power_clock_ns(const struct hd_power_clock *clock);

struct hd_power_meter;

/*
 * Find and open all sources, or only config->only.  The caller owns *out.  Returns HD_TRACK_OK, also if no source is
 * usable, or HD_TRACK_NOMEM; *out is then NULL.
 */
int hd_power_open(struct hd_power_meter **out, const struct hd_power_config *config);
void hd_power_close(struct hd_power_meter *m);		/* accepts NULL */

size_t hd_power_sources(const struct hd_power_meter *m);
const struct hd_power_source *hd_power_source(const struct hd_power_meter *m, size_t i);
size_t hd_power_domains(const struct hd_power_meter *m);
/* Return a domain, with what was observed up to now. */
const struct hd_power_domain *hd_power_domain(struct hd_power_meter *m, size_t i);
/* Return the number of domains that can be read. */
size_t hd_power_usable(const struct hd_power_meter *m);

#define HD_POWER_ALL SIZE_MAX

/*
 * Read the usable domains of one source, or of all (HD_POWER_ALL).  source: an index for hd_power_source().  `out` has
 * room for hd_power_domains() samples.  Returns how many were written.
 */
size_t hd_power_read(struct hd_power_meter *m, size_t source, struct hd_power_sample *out);

/* Return the time that a sample would have if it were taken now, in nanoseconds since 1970. */
uint64_t hd_power_now_ns(struct hd_power_meter *m);

#endif
