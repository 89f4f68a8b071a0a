/*
 * input.h - make inputs of fuzz targets: files in memory, and valid bytes with damage
 */
#ifndef HD_FUZZ_INPUT_H
#define HD_FUZZ_INPUT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Return a descriptor of a file in memory with these bytes; its position is the end of the file.  The caller closes
 * it.
 */
static inline int fuzz_memory_file(const void *data, size_t n)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	return fd;
}

/*
 * Damage the n valid bytes at p.  `data` is a list of patches: an offset (4 bytes), a length (1 byte), and the new
 * bytes; length 0 truncates at the offset.  Returns the new number of bytes.
 */
static inline size_t fuzz_patch(uint8_t *p, size_t n, const uint8_t *data, size_t size)
{
	const size_t all = n;

	while (size >= 5) {
		uint32_t at;
		size_t len = data[4];

		memcpy(&at, data, 4);
		data += 5;
		size -= 5;
		len = len > size ? size : len;
		if (!len)
			n = at % (all + 1);
		for (size_t i = 0; i < len; i++)
			p[(at + i) % all] = data[i];
		data += len;
		size -= len;
	}
	return n;
}

#endif
