/*
 * debuglink.c - .gnu_debuglink: NAME, NUL, padding to 4, CRC-32 of the file it names
 */
#include "elf/debugfile.h"

#include "base/file.h"
#include "base/mem.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

bool hd_debuglink_read(struct hd_elf *e, char name[256], uint32_t *crc)
{
	const struct hd_elf_section *sec = hd_elf_section(e, ".gnu_debuglink");
	bool ok = false;
	size_t n, len, at;
	char *bytes;

	if (!sec)
		return false;
	bytes = hd_elf_bytes(e, sec, 4096, &n, NULL);
	if (!bytes)
		return false;
	len = strnlen(bytes, n);
	at = (len + 4) & ~(size_t)3;
	if (len == n || at + 4 > n || len > 255) {
		hd_elf_damaged(e, "`.gnu_debuglink` is cut off");
	} else if (!len || strchr(bytes, '/') || !strcmp(bytes, ".") || !strcmp(bytes, "..")) {
		hd_elf_damaged(e, "`.gnu_debuglink` names a path, not a file");
	} else {
		struct hd_bytes b = hd_elf_cursor(e, bytes + at, 4);

		memcpy(name, bytes, len + 1);
		*crc = hd_bytes_u32(&b);
		ok = true;
	}
	free(bytes);
	return ok;
}

int hd_debuglink_crc(int fd, const char *path, uint32_t *crc, struct hd_err *err)
{
	enum { CHUNK = 256 * 1024 };
	uint8_t *buf = hd_alloc(CHUNK);
	uint64_t off = 0;
	ssize_t got;

	*crc = 0;
	while ((got = hd_file_pread(fd, buf, CHUNK, off, path, err)) > 0) {
		*crc = lzma_crc32(buf, (size_t)got, *crc);
		off += (uint64_t)got;
	}
	free(buf);
	return got < 0 ? (int)got : 0;
}
