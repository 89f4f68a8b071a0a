# speedscope: an evented and a sampled profile, units, names with escapes, events and samples that are invalid
cat >evented.json <<'END'
{"$schema": "https://www.speedscope.app/file-format-schema.json", "name": "two threads",
 "shared": {"frames": [{"name": "main", "file": "a.js", "line": 3}, {"name": "f(int)"}, {"name": "g;\"h\""}, {}]},
 "profiles": [
  {"type": "evented", "name": "thread 1", "unit": "milliseconds", "startValue": 0, "endValue": 10, "events": [
   {"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 1.5}, {"type": "C", "frame": 1, "at": 4},
   {"type": "O", "frame": 2, "at": 4}, {"type": "C", "frame": 2, "at": 9.000001}, {"type": "C", "frame": 0, "at": 10}]},
  {"type": "sampled", "name": "thread 2", "unit": "seconds", "startValue": 0, "endValue": 3,
   "samples": [[0, 1], [0, 3], [0, 1], [0, 9]], "weights": [1, 0.5, 0.25, 1]},
  {"type": "sampled", "name": "bytes", "unit": "bytes", "startValue": 0, "endValue": 3,
   "samples": [[0]], "weights": [7]},
  {"type": "evented", "name": "bad", "unit": "none", "startValue": 0, "endValue": 3, "events": [
   {"type": "C", "frame": 0, "at": 1}, {"type": "O", "frame": 0, "at": 2}, {"type": "O", "frame": 1, "at": 3},
   {"type": "C", "frame": 0, "at": 9}, {"type": "O", "frame": 1, "at": 8}]}]}
END
hotdrift fold evented.json
hotdrift fold --event bytes evented.json 2>/dev/null
hotdrift fold --event samples evented.json 2>/dev/null
gzip -c evented.json | hotdrift top - 2>/dev/null
head -c 700 evented.json >cut.json
hotdrift fold cut.json || echo "status $?"
echo '{"shared": {"frames": 1}, "profiles": [{"type": "sampled"}]}' >bad.json
hotdrift fold bad.json || echo "status $?"
