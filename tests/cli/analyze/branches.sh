# The info.json of analyze counts branches as info --json does.  The recording has one sample with three branches.
base64 -d >branches.data <<'END'
UEVSRklMRTIQAAAAAAAAAEAAAAAAAHgAAAAAAHAAAAAAAAAAAAAAAAEAAAAAAAAAAwgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
AAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkAAAACAGgAABBAAAAA
AAAHAAAABwAAAAMAAAAAAAAAABAAAAAAAAAAIAAAAAAAAAEAAAAAAAAAARAAAAAAAAABIAAAAAAAAAIAAAAAAAAAAhAAAAAAAAAC
IAAAAAAAAAIAAAAAAAAA
END
hotdrift analyze branches.data -o out >/dev/null 2>&1
hotdrift info --json branches.data >info.json 2>/dev/null
grep '"branches"' out/info.json
cmp out/info.json info.json && echo same
