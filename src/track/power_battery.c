/*
 * power_battery.c - the power that the machine draws from its batteries
 *
 *     /sys/class/power_supply/BAT0/type            "Battery"
 *                                  scope           "Device" is a mouse or a phone: not used
 *                                  status          power is read only while this is "Discharging"
 *                                  power_now       microwatts
 *                                  current_now     microamperes; used if there is no power_now
 *                                  voltage_now     microvolts; power is current_now x voltage_now
 *
 * Documentation/ABI/testing/sysfs-class-power of the Linux kernel describes these files.  Drivers disagree on the sign
 * while a battery discharges, so the magnitude is used.  On mains there is no reading, because the power that charges a
 * battery is not the power that the machine uses.
 */
#include "track/power_source.h"
#include "track/sysfs.h"

#include <stdio.h>
#include <string.h>

enum { HAS_POWER = 1, HAS_CURRENT = 2 };		/* values of hd_power_item.own[0]: the files that are read */

/* Return true if the machine now runs on this battery.  If not, set `why`. */
static bool discharges(const char *dir, char why[HD_POWER_WHY])
{
	char status[HD_SYSFS_TEXT];

	if (hd_sysfs_text(dir, "status", status, why) != HD_POWER_USABLE)
		return false;
	if (!strcmp(status, "Discharging"))
		return true;
	snprintf(why, HD_POWER_WHY,
		 "its status is '%.30s': its power is the machine's only while it is discharging; unplug the mains",
		 status);
	return false;
}

static enum hd_power_state read_watts(const char *dir, unsigned how, double *watts, char why[HD_POWER_WHY])
{
	uint64_t power, current, voltage;
	enum hd_power_state state;
	bool negative;

	if (how == HAS_POWER) {
		state = hd_sysfs_number(dir, "power_now", &power, &negative, why);
		*watts = (double)power / 1e6;
		return state;
	}
	state = hd_sysfs_number(dir, "current_now", &current, &negative, why);
	if (state == HD_POWER_USABLE)
		state = hd_sysfs_number(dir, "voltage_now", &voltage, NULL, why);
	if (state == HD_POWER_USABLE)
		*watts = (double)current / 1e6 * ((double)voltage / 1e6);
	return state;
}

static int add_battery(struct hd_power_meter *m, const char *dir, const char *name)
{
	struct hd_power_item *item = hd_power_add(m, "battery", name, "");
	struct hd_power_domain *d;
	double watts;

	if (!item)
		return HD_TRACK_NOMEM;
	d = &item->d;
	d->has_watts = true;
	if (!hd_power_set_path(item, dir))
		return HD_TRACK_OK;
	item->own[0] = HAS_POWER;
	HD_POWER_SET(d->quantity, "power_now");
	d->state = read_watts(dir, HAS_POWER, &watts, d->why);
	if (d->state == HD_POWER_ABSENT) {
		item->own[0] = HAS_CURRENT;
		HD_POWER_SET(d->quantity, "current_now x voltage_now");
		d->state = read_watts(dir, HAS_CURRENT, &watts, d->why);
	}
	if (d->state == HD_POWER_ABSENT)
		d->state = HD_POWER_UNSUPPORTED;
	if (d->state == HD_POWER_USABLE && !discharges(dir, d->why))
		d->state = HD_POWER_UNSUPPORTED;
	return HD_TRACK_OK;
}

static bool is_battery(const char *dir)
{
	char text[HD_SYSFS_TEXT], why[HD_POWER_WHY];

	if (hd_sysfs_text(dir, "type", text, why) != HD_POWER_USABLE || strcmp(text, "Battery") != 0)
		return false;
	return hd_sysfs_text(dir, "scope", text, why) != HD_POWER_USABLE || strcmp(text, "Device") != 0;
}

static int battery_open(struct hd_power_meter *m, const struct hd_power_config *config, struct hd_power_source *s,
			void **state)
{
	char dir[HD_SYSFS_PATH], path[HD_SYSFS_PATH];
	struct hd_sysfs_list list;
	int rc;

	if (!hd_sysfs_join(dir, config->sysfs ? config->sysfs : "/sys", "class/power_supply"))
		return HD_TRACK_OK;
	HD_POWER_SET(s->why, "no battery in %.150s", dir);
	rc = hd_sysfs_list(&list, dir);
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc >= 0 && i < list.n; i++)
		if (!hd_power_full(m) && hd_sysfs_join(path, dir, list.names[i]) && is_battery(path))
			rc = add_battery(m, path, list.names[i]);
	hd_sysfs_list_release(&list);
	return rc;
}

static bool battery_read(void *state, struct hd_power_item *item, struct hd_power_reading *out)
{
	double watts;

	if (!discharges(item->d.path, item->d.why) ||
	    read_watts(item->d.path, item->own[0], &watts, item->d.why) != HD_POWER_USABLE)
		return false;
	out->watts = watts;
	return true;
}

const struct hd_power_ops hd_power_battery = { .name = "battery", .open = battery_open, .read = battery_read };
