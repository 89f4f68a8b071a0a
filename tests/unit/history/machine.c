/*
 * machine.c - two machines are equal if their fingerprints are equal
 */
#include "unit/history/history_test.h"
#include "unit/tmpdir.h"

#include "history/machine.h"

#include <fcntl.h>
#include <sys/utsname.h>

#define CPU(flags, mhz) \
	"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Big Iron " \
		"3000\nstepping\t: 7\n" \
	"microcode\t: 0x5003\ncpu MHz\t\t: " mhz "\nflags\t\t: " flags "\nbogomips\t: " mhz \
	"\n\nprocessor\t: 1\nmodel name\t: other\n"

static struct place machine_place(void)
{
	struct place p = place_new();

	put_rooted(p.dir, "/proc/cpuinfo", CPU("fpu avx2 sse", "2100.0"));
	put_rooted(p.dir, "/proc/meminfo", "MemTotal:       16384 kB\nMemFree: 1 kB\n");
	put_rooted(p.dir, "/sys/devices/system/cpu/online", "0-3,8,10-11\n");
	put_rooted(p.dir, "/sys/devices/system/cpu/smt/active", "1\n");
	put_rooted(p.dir, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	put_rooted(p.dir, "/proc/sys/kernel/random/boot_id", "0-1-2\n");
	return p;
}

TEST(a_machine_is_read_from_proc_and_sys)
{
	struct place p = machine_place();
	struct hd_machine m;

	hd_machine_here(&m, p.dir);
	EXPECT_STR(m.source, "here");
	EXPECT_STR(m.cpu_model, "Big Iron 3000");
	EXPECT_STR(m.cpu_id, "GenuineIntel-6-85-7");
	EXPECT_STR(m.microcode, "0x5003");
	EXPECT_INT(m.cpus_online, 7);
	EXPECT_STR(m.smt, "on");
	EXPECT_INT(m.memory_bytes, 16384 * 1024);
	EXPECT_STR(m.governor, "performance");
	EXPECT_STR(m.boot_id, "0-1-2");
	EXPECT_INT(strlen(m.fingerprint), 64);
	hd_machine_release(&m);
	place_remove(&p);
}

/* Return true if the fingerprint changes when the file `path` gets this text. */
static bool differs(const char *path, const char *text)
{
	struct place p = machine_place();
	struct hd_machine a, b;
	bool differ;

	hd_machine_here(&a, p.dir);
	put_rooted(p.dir, path, text);
	hd_machine_here(&b, p.dir);
	differ = strcmp(a.fingerprint, b.fingerprint) != 0;
	hd_machine_release(&a);
	hd_machine_release(&b);
	place_remove(&p);
	return differ;
}

TEST(the_fingerprint_has_everything_that_determines_the_speed)
{
	EXPECT(differs("/proc/cpuinfo", CPU("fpu avx2 sse avx512f", "2100.0")));
	EXPECT(differs("/proc/cpuinfo", "model name : Another\n"));
	EXPECT(differs("/sys/devices/system/cpu/online", "0-4\n"));
	EXPECT(differs("/sys/devices/system/cpu/smt/active", "0\n"));
}

TEST(readings_and_the_order_of_flags_are_not)
{
	EXPECT(!differs("/proc/cpuinfo", CPU("sse avx2 fpu", "3300.7")));
	EXPECT(!differs("/proc/meminfo", "MemTotal: 20000 kB\n"));
	EXPECT(!differs("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"));
	EXPECT(!differs("/proc/sys/kernel/random/boot_id", "3-4-5\n"));
}

TEST(the_key_of_the_row_covers_the_rest_too)
{
	struct place p = machine_place();
	struct hd_machine a, b;

	hd_machine_here(&a, p.dir);
	put_rooted(p.dir, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	hd_machine_here(&b, p.dir);
	EXPECT(strcmp(a.key, b.key) != 0);
	hd_machine_release(&b);
	put_rooted(p.dir, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	put_rooted(p.dir, "/proc/sys/kernel/random/boot_id", "3-4-5\n");
	hd_machine_here(&b, p.dir);
	EXPECT_STR(a.key, b.key);
	hd_machine_release(&a);
	hd_machine_release(&b);
	place_remove(&p);
}

TEST(an_arm_machine_is_known_by_its_parts)
{
	struct place p = place_new();
	struct hd_machine m;

	put_rooted(p.dir, "/proc/cpuinfo",
		"processor\t: 0\nBogoMIPS\t: 50\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
		"CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n");
	hd_machine_here(&m, p.dir);
	assert_null(m.cpu_model);
	EXPECT_STR(m.cpu_id, "0x41-8-0x3-0xd0c-1");
	EXPECT_INT(strlen(m.cpu_flags), 64);
	hd_machine_release(&m);
	place_remove(&p);
}

TEST(nothing_readable_is_no_error)
{
	static const char *const odd[] = { "x\n", "3-1\n", "0-\n", "-1\n", "0-99999999999\n", ",\n", "" };
	struct place p = place_new();
	struct hd_machine m;

	hd_machine_here(&m, p.dir);
	assert_null(m.cpu_model);
	EXPECT_INT(m.cpus_online, -1);
	EXPECT_INT(m.memory_bytes, -1);
	EXPECT_INT(strlen(m.fingerprint), 64);
	hd_machine_release(&m);
	put_rooted(p.dir, "/proc/cpuinfo", "flags:\nvendor_id:\nmodel name\n:::\n\n\nmicrocode");
	for (size_t i = 0; i < HD_COUNT(odd); i++) {
		put_rooted(p.dir, "/sys/devices/system/cpu/online", odd[i]);
		hd_machine_here(&m, p.dir);
		EXPECT_INT(m.cpus_online, -1);
		hd_machine_release(&m);
	}
	place_remove(&p);
}

TEST(a_recording_of_this_machine_is_of_this_machine)
{
	struct place p = machine_place();
	struct hd_machine here, m;
	struct utsname u;

	uname(&u);
	hd_machine_here(&here, p.dir);
	hd_machine_of(&m, u.nodename, u.release, u.machine, "Big Iron 3000", 7, 0, p.dir);
	EXPECT_STR(m.source, "here");
	EXPECT_STR(m.fingerprint, here.fingerprint);
	hd_machine_release(&m);
	hd_machine_of(&m, "elsewhere", u.release, u.machine, "Big Iron 3000", 7, 1 << 20, p.dir);
	EXPECT_STR(m.source, "recording");
	EXPECT_STR(m.hostname, "elsewhere");
	EXPECT_INT(m.cpus_online, 7);
	EXPECT_INT(m.memory_bytes, 1 << 20);
	assert_null(m.governor);
	assert_null(m.boot_id);
	EXPECT(strcmp(m.fingerprint, here.fingerprint) != 0);
	hd_machine_release(&m);
	hd_machine_of(&m, NULL, "", NULL, NULL, 0, UINT64_MAX, p.dir);
	EXPECT_STR(m.source, "recording");
	EXPECT_INT(m.cpus_online, -1);
	EXPECT_INT(m.memory_bytes, -1);
	hd_machine_release(&m);
	hd_machine_release(&here);
	place_remove(&p);
}

TEST_MAIN(RUN(a_machine_is_read_from_proc_and_sys),
	  RUN(the_fingerprint_has_everything_that_determines_the_speed),
	  RUN(readings_and_the_order_of_flags_are_not),
	  RUN(the_key_of_the_row_covers_the_rest_too),
	  RUN(an_arm_machine_is_known_by_its_parts),
	  RUN(nothing_readable_is_no_error),
	  RUN(a_recording_of_this_machine_is_of_this_machine))
