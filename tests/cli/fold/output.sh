# -o writes a file completely; an existing file keeps its mode, and a link stays a link
fold() { hotdrift fold --symfs "$FIXTURES/recordings/calls/symfs" "$FIXTURES/recordings/calls/perf.data" "$@"; }
fold >want
fold -o new; cmp new want
echo old >private; chmod 600 private; fold -o private; cmp private want; stat -c %a private
mkdir sub; ln -s sub/target link; fold --output=link; cmp sub/target want; readlink link
fold -o -; fold -o- | cmp - want
echo before >log; fold -o /dev/stdout >>log; { echo before; cat want; } | cmp - log
ls -A . sub
