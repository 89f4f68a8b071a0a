/*
 * perf_abi.h - constants of the file format that are not in <linux/perf_event.h>
 *
 * The kernel's header defines the records and sample fields of its own kernel version.  This header adds
 * those of newer kernels, and what only perf, simpleperf and hiperf write: records from 64 on, header
 * features and event updates.
 */
#ifndef HD_PERFDATA_PERF_ABI_H
#define HD_PERFDATA_PERF_ABI_H

#include <linux/perf_event.h>

/* Records of newer kernels. */
enum {
	HD_RT_CALLCHAIN_DEFERRED = 22,
};

/* Records that the perf tool writes. */
enum {
	HD_RT_USER_FIRST = 64,
	HD_RT_ATTR = 64,
	HD_RT_EVENT_TYPE = 65,
	HD_RT_TRACING_DATA = 66,
	HD_RT_BUILD_ID = 67,
	HD_RT_FINISHED_ROUND = 68,
	HD_RT_ID_INDEX = 69,
	HD_RT_AUXTRACE_INFO = 70,
	HD_RT_AUXTRACE = 71,
	HD_RT_AUXTRACE_ERROR = 72,
	HD_RT_THREAD_MAP = 73,
	HD_RT_CPU_MAP = 74,
	HD_RT_STAT_CONFIG = 75,
	HD_RT_STAT = 76,
	HD_RT_STAT_ROUND = 77,
	HD_RT_EVENT_UPDATE = 78,
	HD_RT_TIME_CONV = 79,
	HD_RT_FEATURE = 80,
	HD_RT_COMPRESSED = 81,
	HD_RT_FINISHED_INIT = 82,
	HD_RT_COMPRESSED2 = 83,
	HD_RT_BPF_METADATA = 84,
	HD_RT_SCHEDSTAT_CPU = 85,
	HD_RT_SCHEDSTAT_DOMAIN = 86,
};

/* Records that only simpleperf writes. */
enum {
	HD_RT_SP_KERNEL_SYMBOL = 32769,
	HD_RT_SP_DSO = 32770,
	HD_RT_SP_SYMBOL = 32771,
	HD_RT_SP_SPLIT = 32772,
	HD_RT_SP_SPLIT_END = 32773,
	HD_RT_SP_EVENT_ID = 32774,
	HD_RT_SP_CALLCHAIN = 32775,
	HD_RT_SP_UNWINDING_RESULT = 32776,
	HD_RT_SP_TRACING_DATA = 32777,
	HD_RT_SP_DEBUG = 32778,
};

/* Bits of attr.branch_sample_type and attr.read_format of newer kernels. */
#define HD_BRANCH_CALL_STACK	(UINT64_C(1) << 11)
#define HD_BRANCH_HW_INDEX	(UINT64_C(1) << 17)
#define HD_BRANCH_COUNTERS	(UINT64_C(1) << 19)
#define HD_FORMAT_LOST		(UINT64_C(1) << 4)

/* Header features: a bit in the file header and a section after the data. */
enum {
	HD_FEAT_TRACING_DATA = 1,
	HD_FEAT_BUILD_ID = 2,
	HD_FEAT_HOSTNAME = 3,
	HD_FEAT_OSRELEASE = 4,
	HD_FEAT_VERSION = 5,
	HD_FEAT_ARCH = 6,
	HD_FEAT_NRCPUS = 7,
	HD_FEAT_CPUDESC = 8,
	HD_FEAT_CPUID = 9,
	HD_FEAT_TOTAL_MEM = 10,
	HD_FEAT_CMDLINE = 11,
	HD_FEAT_EVENT_DESC = 12,
	HD_FEAT_PMU_MAPPINGS = 16,
	HD_FEAT_SAMPLE_TIME = 21,
	HD_FEAT_BPF_PROG_INFO = 25,
	HD_FEAT_BPF_BTF = 26,
	HD_FEAT_COMPRESSED = 27,
	HD_FEAT_CLOCK_DATA = 29,
	HD_FEAT_SP_FILE = 128,		/* features from this number on are simpleperf's */
	HD_FEAT_SP_META_INFO = 129,
	HD_FEAT_SP_FILE2 = 132,
	HD_FEAT_HP_FILES_SYMBOL = 192,	/* features from this number on are hiperf's */
	HD_FEAT_HP_UNISTACK_TABLE = 197,
	HD_FEAT_BITS = 256,
};

/* The kinds of EVENT_UPDATE records that are used. */
enum {
	HD_UPDATE_NAME = 2,
};

/* Bit of misc in a build-id record: the byte after the 20 bytes of the build-id is the length of the build-id. */
#define HD_MISC_BUILD_ID_SIZE	(1u << 15)

/* Bit of misc in a LOST_SAMPLES record: a BPF filter of the user (perf record --filter) removed the samples. */
#define HD_MISC_LOST_SAMPLES_BPF	(1u << 15)

/* Bits of perf_event_attr's flags, as numbered on a little-endian machine. */
enum {
	HD_ATTR_INHERIT = 1,
	HD_ATTR_EXCLUDE_USER = 4,
	HD_ATTR_EXCLUDE_KERNEL = 5,
	HD_ATTR_EXCLUDE_HV = 6,
	HD_ATTR_FREQ = 10,
	HD_ATTR_ENABLE_ON_EXEC = 12,
	HD_ATTR_TASK = 13,
	HD_ATTR_PRECISE = 15,		/* the field has two bits */
	HD_ATTR_SAMPLE_ID_ALL = 18,
	HD_ATTR_EXCLUDE_HOST = 19,
	HD_ATTR_EXCLUDE_GUEST = 20,
	HD_ATTR_USE_CLOCKID = 25,
	HD_ATTR_CONTEXT_SWITCH = 26,
	HD_ATTR_BUILD_ID = 34,
	HD_ATTR_DEFER_CALLCHAIN = 38,	/* Linux 6.19 */
};

#endif
