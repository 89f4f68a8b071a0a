/*
 * power_hwmon.c - power and energy sensors of chips, by the hwmon drivers of the kernel
 *
 *     /sys/class/hwmon/hwmonN/name                       the chip: amdgpu, power_meter, ina3221
 *                             powerK_input               microwatts, instantaneous
 *                             powerK_average             microwatts, used if there is no _input
 *                             energyK_input              microjoules, cumulative
 *                             powerK_label, energyK_label
 *
 * Documentation/hwmon/sysfs-interface.rst of the Linux kernel describes these files.  powerK and energyK of one chip
 * are one domain.  Its name is the chip, the folder, and the label, cut to 16, 14 and 18 bytes:
 * "ina3221-hwmon0-VDD_IN".  Without a label, powerK or energyK stands in its place.  If it is known what the sensor
 * measures, a word for that comes first (track/power_overlap.h): "gpu-amdgpu-hwmon3-PPT".
 */
#include "track/power_source.h"
#include "track/sysfs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* kinds of files; hd_power_item.own[1] is the mask of those that are read */
	POWER_INPUT = 1, POWER_AVERAGE = 2, ENERGY = 4,
	CHANNEL_MAX = 999,
	FILE_NAME = 32,
};

/*
 * Return the channel number in a file's name, such as 12 in "power12_input" if kind is "power" and end is "_input".
 * Returns 0 for other files.
 */
static unsigned channel_of(const char *name, const char *kind, const char *end)
{
	size_t n = strlen(kind);
	char *rest;
	unsigned long k;

	if (strncmp(name, kind, n) != 0 || name[n] < '1' || name[n] > '9')
		return 0;
	k = strtoul(name + n, &rest, 10);
	return k <= CHANNEL_MAX && !strcmp(rest, end) ? (unsigned)k : 0;
}

static unsigned char kind_of(const char *file, unsigned *channel)
{
	if ((*channel = channel_of(file, "power", "_input")))
		return POWER_INPUT;
	if ((*channel = channel_of(file, "power", "_average")))
		return POWER_AVERAGE;
	return (*channel = channel_of(file, "energy", "_input")) ? ENERGY : 0;
}

static void file_of(char out[FILE_NAME], unsigned channel, unsigned kind)
{
	snprintf(out, FILE_NAME, "%s%u_%s", kind == ENERGY ? "energy" : "power", channel,
		 kind == POWER_AVERAGE ? "average" : "input");
}

/*
 * Remove the quantities that cannot be read from the set *kinds.  Returns HD_POWER_USABLE if any is left, otherwise the
 * state and the reason of the last one that was removed.
 */
static enum hd_power_state drop_unreadable(const char *dir, unsigned channel, unsigned *kinds, char why[HD_POWER_WHY])
{
	enum hd_power_state state = HD_POWER_ABSENT, last;
	unsigned left = 0;

	for (unsigned kind = POWER_INPUT; kind <= ENERGY; kind *= 2) {
		char file[FILE_NAME];
		uint64_t v;

		if (!(*kinds & kind))
			continue;
		file_of(file, channel, kind);
		last = hd_sysfs_number(dir, file, &v, NULL, why);
		if (last == HD_POWER_USABLE)
			left |= kind;
		else if (!left)
			state = last;
	}
	*kinds = left;
	return left ? HD_POWER_USABLE : state;
}

static bool exists(const char *dir, const char *file)
{
	char path[HD_SYSFS_PATH];

	return hd_sysfs_join(path, dir, file) && access(path, F_OK) == 0;
}

/*
 * Return the prefix of a sensor's name, from which hd_power_overlap_resolve() finds out what the sensor measures; "" if
 * that is unknown.
 */
static const char *role_of(const char *dir, const char *chip, const char *label, unsigned channel)
{
	/*
	 * A sensor for the voltage of the northbridge (in1) exists only if the GPU is a part of a processor, not a
	 * card.
	 */
	if (!strcmp(chip, "amdgpu"))
		return exists(dir, "in1_input") ? "" : "gpu-";
	if (!strcmp(chip, "xe")) /* Intel's xe: channel 1 is the card, 2 the package; old drivers lack the card */
		return channel == (exists(dir, "energy1_input") ? 1 : 2) ? "gpu-" : "part-";
	if (!strcmp(chip, "i915"))		/* i915 and xe have sensors of graphics cards only */
		return "gpu-";
	if (!strncmp(chip, "i915_gt", 7))
		return "part-";
	if (!strcmp(chip, "amd_energy"))
		return !strncmp(label, "Esocket", 7) ? "package-" : !strncmp(label, "Ecore", 5) ? "core-" : "";
	return "";
}

static void name_of(char out[HD_POWER_NAME], const char *dir, unsigned channel, unsigned kinds)
{
	char chip[HD_SYSFS_TEXT], label[HD_SYSFS_TEXT], file[FILE_NAME], why[HD_POWER_WHY];
	const char *kind = kinds & (POWER_INPUT | POWER_AVERAGE) ? "power" : "energy";

	if (hd_sysfs_text(dir, "name", chip, why) != HD_POWER_USABLE || !chip[0])
		HD_POWER_SET(chip, "unnamed");
	snprintf(file, sizeof(file), "%s%u_label", kind, channel);
	if (hd_sysfs_text(dir, file, label, why) != HD_POWER_USABLE || !label[0])
		HD_POWER_SET(label, "%s%u", kind, channel);
	snprintf(out, HD_POWER_NAME, "%s%.16s-%.14s-%.18s", role_of(dir, chip, label, channel), chip,
		 strrchr(dir, '/') + 1, label);
}

static int add_channel(struct hd_power_meter *m, const char *dir, unsigned channel, unsigned kinds)
{
	char name[HD_POWER_NAME], file[FILE_NAME], unique[FILE_NAME];
	struct hd_power_item *item;
	struct hd_power_domain *d;

	name_of(name, dir, channel, kinds);
	snprintf(unique, sizeof(unique), "%u", channel);
	item = hd_power_add(m, "hwmon", name, unique);
	if (!item)
		return HD_TRACK_NOMEM;
	d = &item->d;
	if (!hd_power_set_path(item, dir))
		return HD_TRACK_OK;
	d->state = drop_unreadable(dir, channel, &kinds, d->why);
	if (d->state == HD_POWER_DENIED)
		HD_POWER_SET(d->why,
			"a sensor in %.120s needs root, or a udev rule that gives it to a group (docs/power.md)", dir);
	if (d->state != HD_POWER_USABLE)
		return HD_TRACK_OK;
	d->why[0] = '\0';
	if (kinds & POWER_INPUT)
		kinds &= ~(unsigned)POWER_AVERAGE;
	item->own[0] = channel;
	item->own[1] = kinds;
	d->has_watts = kinds & (POWER_INPUT | POWER_AVERAGE);
	if (kinds & ENERGY)
		hd_power_set_counter(item, 1e-6, 0);
	file_of(file, channel, d->has_watts ? kinds & ~(unsigned)ENERGY : ENERGY);
	HD_POWER_SET(d->quantity, d->has_watts && kinds & ENERGY ? "%s, energy%u_input" : "%s", file, channel);
	return HD_TRACK_OK;
}

static int add_chip(struct hd_power_meter *m, const char *dir)
{
	unsigned char kinds[CHANNEL_MAX + 1] = { 0 };
	struct hd_sysfs_list list;
	int rc = hd_sysfs_list(&list, dir);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < list.n; i++) {
		unsigned channel;
		unsigned char kind = kind_of(list.names[i], &channel);

		kinds[channel] |= kind;
	}
	hd_sysfs_list_release(&list);
	for (unsigned k = 1; rc >= 0 && k <= CHANNEL_MAX; k++)
		if (kinds[k] && !hd_power_full(m))
			rc = add_channel(m, dir, k, kinds[k]);
	return rc;
}

static int hwmon_open(struct hd_power_meter *m, const struct hd_power_config *config, struct hd_power_source *s,
		      void **state)
{
	char dir[HD_SYSFS_PATH], chip[HD_SYSFS_PATH];
	struct hd_sysfs_list list;
	int rc;

	if (!hd_sysfs_join(dir, config->sysfs ? config->sysfs : "/sys", "class/hwmon"))
		return HD_TRACK_OK;
	HD_POWER_SET(s->why, "no power or energy sensor in %.150s", dir);
	rc = hd_sysfs_list(&list, dir);
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc >= 0 && i < list.n; i++)
		if (hd_sysfs_join(chip, dir, list.names[i]))
			rc = add_chip(m, chip);
	hd_sysfs_list_release(&list);
	return rc;
}

static bool hwmon_read(void *state, struct hd_power_item *item, struct hd_power_reading *out)
{
	unsigned kinds = item->own[1];
	char file[FILE_NAME];
	uint64_t uw;

	if (item->d.has_watts) {
		file_of(file, item->own[0], kinds & ~(unsigned)ENERGY);
		if (hd_sysfs_number(item->d.path, file, &uw, NULL, item->d.why) == HD_POWER_USABLE)
			out->watts = (double)uw / 1e6;
	}
	if (kinds & ENERGY) {
		file_of(file, item->own[0], ENERGY);
		out->has_count = hd_sysfs_number(item->d.path, file, &out->count, NULL, item->d.why) == HD_POWER_USABLE;
	}
	return !isnan(out->watts) || out->has_count;
}

const struct hd_power_ops hd_power_hwmon = { .name = "hwmon", .open = hwmon_open, .read = hwmon_read };
