/* rights.c - read the privileges of a process from files in a folder */
#include "doctor/rights.h"
#include "test.h"

#include "../tmpdir.h"

TEST(where_nothing_can_be_read_nothing_is_known)
{
	char *root = tmpdir();
	struct hd_rights r;

	hd_rights_read(&r, root);
	EXPECT(!r.paranoid_known && !r.caps_known && r.seccomp == -1 && r.user_namespace == -1 && r.lockdown == -1);
	EXPECT(!r.container && !r.virtual_machine && !r.counters && !*r.tracefs && !*r.huge_pages && !r.swap);
	EXPECT(r.kptr_restrict == -1 && r.mlock_kb == -1 && r.max_rate == -1 && r.nmi_watchdog == -1);
	EXPECT(r.uid == geteuid());
	tmpdir_remove(root);
}

TEST(each_file_becomes_its_field)
{
	char *root = tmpdir();
	struct hd_rights r;

	put_rooted(root, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	put_rooted(root, "/proc/self/status",
		"Name:\tx\nCapInh:\t0000000000000001\nCapEff:\t0000004000000000\nSeccomp:\t2\nSeccomp_filters:\t1\n");
	put_rooted(root, "/proc/self/uid_map", "         0          0 4294967295\n");
	put_rooted(root, "/proc/1/cgroup", "0::/kubepods/pod1\n");
	put_rooted(root, "/proc/cpuinfo", "flags : fpu hypervisor sse\n");
	put_rooted(root, "/sys/bus/event_source/devices/cpu/type", "4\n");
	put_rooted(root, "/proc/mounts",
		"proc /proc proc rw 0 0\n"
		"nodev /sys/kernel/debug/tracing tracefs rw 0 0\n"
		"none /sys/kernel/tracing tracefs rw 0 0\n");
	put_rooted(root, "/proc/sys/kernel/kptr_restrict", "1\n");
	put_rooted(root, "/proc/sys/kernel/perf_event_mlock_kb", "516\n");
	put_rooted(root, "/proc/sys/kernel/perf_event_max_sample_rate", "100000\n");
	put_rooted(root, "/proc/sys/kernel/nmi_watchdog", "1\n");
	put_rooted(root, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put_rooted(root, "/proc/meminfo", "MemTotal: 1 kB\nSwapTotal:  1000 kB\nSwapFree:  10 kB\n");
	put_rooted(root, "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
	hd_rights_read(&r, root);
	EXPECT(r.paranoid_known && r.paranoid == -1);
	EXPECT(r.caps_known && r.caps == 1ull << HD_CAP_PERFMON && r.seccomp == 2 && r.user_namespace == 0);
	EXPECT(r.container && r.virtual_machine && r.counters && r.lockdown == 1 && r.swap);
	EXPECT_STR(r.tracefs, "/sys/kernel/tracing");
	EXPECT(r.kptr_restrict == 1 && r.mlock_kb == 516 && r.max_rate == 100000 && r.nmi_watchdog == 1);
	EXPECT_STR(r.huge_pages, "always");
	EXPECT(hd_rights_perfmon(&r));
	tmpdir_remove(root);
}

TEST(capabilities_of_a_user_namespace_do_not_count)
{
	char *root = tmpdir();
	struct hd_rights r;

	put_rooted(root, "/proc/self/status", "CapEff:\t000001ffffffffff\nSeccomp:\t0\n");
	put_rooted(root, "/proc/self/uid_map", "         0       1000          1\n");
	hd_rights_read(&r, root);
	EXPECT(r.user_namespace == 1 && !hd_rights_perfmon(&r) && !hd_rights_has(&r, HD_CAP_IPC_LOCK));
	tmpdir_remove(root);
}

TEST(text_that_is_no_number_or_too_long_is_not_known)
{
	char *root = tmpdir();
	struct hd_rights r;
	struct hd_buf long_path = { 0 };

	put_rooted(root, "/proc/sys/kernel/perf_event_paranoid", "99999999999999999999\n");
	put_rooted(root, "/proc/sys/kernel/perf_event_mlock_kb", "many\n");
	put_rooted(root, "/proc/sys/kernel/kptr_restrict", "-3\n");
	put_rooted(root, "/proc/self/status", "CapEff:\tno\nSeccomp:\t7\nSeccomp");
	put_rooted(root, "/proc/self/uid_map", "0 0");
	put_rooted(root, "/sys/kernel/security/lockdown", "none");
	hd_buf_adds(&long_path, "x /with\\040blank tracefs rw 0 0\nx relative tracefs rw\nx\n\n   \nx /");
	for (int i = 0; i < 5000; i++)
		hd_buf_addc(&long_path, 'a');
	hd_buf_adds(&long_path, " tracefs rw 0 0");
	put_rooted(root, "/proc/mounts", long_path.data);
	hd_rights_read(&r, root);
	EXPECT(!r.paranoid_known && r.mlock_kb == -1 && r.kptr_restrict == -1 && !r.caps_known && r.seccomp == -1);
	EXPECT(r.user_namespace == -1 && r.lockdown == -1 && !*r.tracefs);
	hd_buf_release(&long_path);
	tmpdir_remove(root);
}

TEST(without_proc_mounts_the_usual_places_are_looked_at)
{
	char *root = tmpdir();
	struct hd_rights r;

	put_rooted(root, "/sys/kernel/debug/tracing/README", "x");
	hd_rights_read(&r, root);
	EXPECT_STR(r.tracefs, "/sys/kernel/debug/tracing");
	tmpdir_remove(root);
}

TEST_MAIN(RUN(where_nothing_can_be_read_nothing_is_known), RUN(each_file_becomes_its_field),
	RUN(capabilities_of_a_user_namespace_do_not_count), RUN(text_that_is_no_number_or_too_long_is_not_known),
	RUN(without_proc_mounts_the_usual_places_are_looked_at))
