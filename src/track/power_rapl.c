/*
 * power_rapl.c - RAPL energy counters of the processor, by powercap
 *
 *     /sys/class/powercap/intel-rapl:N        a package, or psys (the platform)
 *                         intel-rapl:N:M      core, uncore, dram of zone N
 *                         intel-rapl-mmio:N   the same counters by another register
 *
 * Each folder is a zone with the files name, energy_uj and max_energy_range_uj (microjoules), as
 * Documentation/power/powercap/powercap.rst of the Linux kernel describes; AMD processors use the same names.  Zones
 * are identified by their folder, because on a machine with two sockets both have a zone "core".  The domain of a zone
 * directly under the control type has the name in its file `name`.  The domain of a zone inside zone N has that name
 * and N: core-0, dram-1.  N can differ from the number of the package, because psys is a zone, too.
 *
 * There are counters only, no watts.  A zone whose range is unknown is not used, because a wrap could not be resolved.
 * energy_uj has mode 0400 since Linux 5.10, because power readings reveal secrets (CVE-2020-8694).
 */
#include "track/power_source.h"
#include "track/sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 3 };		/* depth of folders: intel-rapl/intel-rapl:0/intel-rapl:0:0 */

/* Return the length of the control type of a zone, "intel-rapl" of "intel-rapl:0:1"; 0 if the folder is not a zone. */
static size_t zone_prefix(const char *dir)
{
	size_t n = strcspn(dir, ":");

	return !strncmp(dir, "intel-rapl", 10) && dir[n] == ':' && strspn(dir + n, ":0123456789") == strlen(dir + n)
		? n
		: 0;
}

static bool is_listed(struct hd_power_meter *m, const struct hd_power_source *s, const char *zone)
{
	for (size_t i = s->first; i < hd_power_domains(m); i++) {
		const char *path = hd_power_domain(m, i)->path, *base = strrchr(path, '/');

		if (base && !strcmp(base + 1, zone))
			return true;
	}
	return false;
}

/* Set the state of the zone, and its counter if the zone is usable. */
static void look_at(struct hd_power_item *item, const char *dir)
{
	struct hd_power_domain *d = &item->d;
	char why[HD_POWER_WHY] = "max_energy_range_uj is 0";
	uint64_t range, now;

	if (hd_sysfs_number(dir, "max_energy_range_uj", &range, NULL, why) != HD_POWER_USABLE || !range) {
		d->state = HD_POWER_BROKEN;
		HD_POWER_SET(d->why,
			"the range of the counter is unknown, so that a wrap could not be resolved: %.170s", why);
		return;
	}
	d->state = hd_sysfs_number(dir, "energy_uj", &now, NULL, d->why);
	if (d->state == HD_POWER_DENIED)
		HD_POWER_SET(d->why,
			"%.150s/energy_uj needs root, or a udev rule that gives it to a group (docs/power.md)", dir);
	else if (d->state == HD_POWER_USABLE)
		hd_power_set_counter(item, 1e-6, range);
}

static int add_zone(struct hd_power_meter *m, const char *dir, const char *zone)
{
	char type[HD_POWER_NAME], text[HD_SYSFS_TEXT], why[HD_POWER_WHY];
	size_t n = zone_prefix(zone);
	const char *number = zone + n + 1;
	bool is_part = strchr(number, ':');
	enum hd_power_state named = hd_sysfs_text(dir, "name", text, why);
	struct hd_power_item *item;

	HD_POWER_SET(type, "%.*s", (int)n, zone);
	if (named != HD_POWER_USABLE || !text[0])
		HD_POWER_SET(text, "%.60s", zone);
	else if (is_part)
		snprintf(text + strnlen(text, 32), 24, "-%.*s", (int)strcspn(number, ":"), number);
	item = hd_power_add(m, type, text, zone);
	if (!item)
		return HD_TRACK_NOMEM;
	HD_POWER_SET(item->d.quantity, "energy_uj");
	if (!hd_power_set_path(item, dir))
		return HD_TRACK_OK;
	if (named == HD_POWER_USABLE) {
		look_at(item, dir);
	} else {
		item->d.state = named == HD_POWER_DENIED ? named : HD_POWER_BROKEN;
		HD_POWER_SET(item->d.why, "the zone has no name: %.200s", why);
	}
	return HD_TRACK_OK;
}

static int scan(struct hd_power_meter *m, const struct hd_power_source *s, const char *dir, unsigned depth)
{
	struct hd_sysfs_list list;
	char path[HD_SYSFS_PATH];
	int rc = hd_sysfs_list(&list, dir);

	/* List the zones of this folder first, then the zones inside of them.  So packages come before their parts. */
	for (size_t i = 0; rc >= 0 && i < list.n; i++)
		if (zone_prefix(list.names[i]) && !hd_power_full(m) && hd_sysfs_join(path, dir, list.names[i]) &&
		    !is_listed(m, s, list.names[i]))
			rc = add_zone(m, path, list.names[i]);
	for (size_t i = 0; rc >= 0 && depth < DEPTH && i < list.n; i++)
		if (!strncmp(list.names[i], "intel-rapl", 10) && hd_sysfs_join(path, dir, list.names[i]))
			rc = scan(m, s, path, depth + 1);
	hd_sysfs_list_release(&list);
	return rc;
}

static int rapl_open(struct hd_power_meter *m, const struct hd_power_config *config, struct hd_power_source *s,
		     void **state)
{
	char dir[HD_SYSFS_PATH];

	if (!hd_sysfs_join(dir, config->sysfs ? config->sysfs : "/sys", "class/powercap"))
		return HD_TRACK_OK;
	HD_POWER_SET(s->why,
		"no intel-rapl zones in %.100s: a virtual machine, a processor without RAPL, or a missing module "
		"(modprobe intel_rapl_msr)",
		dir);
	return scan(m, s, dir, 1);
}

static bool rapl_read(void *state, struct hd_power_item *item, struct hd_power_reading *out)
{
	out->has_count = hd_sysfs_number(item->d.path, "energy_uj", &out->count, NULL, item->d.why) == HD_POWER_USABLE;
	return out->has_count;
}

const struct hd_power_ops hd_power_rapl = { .name = "rapl", .open = rapl_open, .read = rapl_read };
