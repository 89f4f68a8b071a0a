/* cpus.h - the number of CPUs */
#ifndef HD_BASE_CPUS_H
#define HD_BASE_CPUS_H

#include <sched.h>

/* Return the number of CPUs on which this process may run; 1 if it is unknown. */
static inline unsigned hd_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

#endif
