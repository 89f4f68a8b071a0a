/*
 * recording.c - see recording.h
 */
#include "profile/recording.h"

#include <stdlib.h>

void hd_recording_release(struct hd_recording *r)
{
	free(r->path);
	free(r->hostname);
	free(r->os_release);
	free(r->arch);
	free(r->cpudesc);
	free(r->cpuid);
	free(r->perf_version);
	for (size_t i = 0; i < r->ncmdline; i++)
		free(r->cmdline[i]);
	free(r->cmdline);
	free(r->records);
	for (size_t i = 0; i < r->nfields; i++) {
		for (size_t k = 0; k < r->fields[i].n; k++)
			free(r->fields[i].names[k]);
		free(r->fields[i].names);
	}
	free(r->fields);
	for (size_t i = 0; i < r->nobjects; i++) {
		free(r->objects[i].name);
		free(r->objects[i].source);
		free(r->objects[i].problem);
	}
	free(r->objects);
	for (size_t i = 0; i < r->ngaps; i++)
		free(r->gaps[i].name);
	free(r->gaps);
	*r = (struct hd_recording){ 0 };
}
