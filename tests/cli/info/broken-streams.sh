# damaged zstd streams expand a thousand times; the limit on the output applies to all of them together
# shellcheck disable=SC2059	# the format is the byte
byte() { printf "\\$(printf %03o "$1")"; }
word() { byte $(($1 & 255)); byte $(($1 >> 8 & 255)); byte $(($1 >> 16 & 255)); byte $(($1 >> 24)); }
# header TYPE SIZE: print the header of a record; SIZE includes the header.  The body must follow.
header() { word "$1"; byte 0; byte 0; byte $(($2 & 255)); byte $(($2 >> 8)); }
zeros() { head -c "$1" /dev/zero; }
{
	printf 'PERFILE2'; word 16; word 0
	# an ATTR record: the event cpu-clock, whose samples have an IP
	header 64 80; word 1; word 64; zeros 8; word 1; word 0; word 1; zeros 36; word 1; word 0
} >start
# A zstd frame: magic, a window of 128 KiB, and blocks of 128 KiB of the byte 8, which are records of 2056 bytes.  The
# text after it is not a frame.
{
	word $((0xfd2fb528)); byte 0; byte $((7 << 3))
	i=0; while [ $i -lt 400 ]; do printf '\002\000\020\010'; i=$((i + 1)); done
	printf 'no frame'
} >chunk
{ header 81 $((8 + $(wc -c <chunk))); cat chunk; } >broken
cat start >bomb
i=0; while [ $i -lt 40 ]; do cat broken; i=$((i + 1)); done >>bomb
hotdrift info bomb
