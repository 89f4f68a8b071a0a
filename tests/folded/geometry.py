#!/usr/bin/env python3
"""Compare the geometry of a flamegraph with the expected one, frame by frame.

Reads lines `WHAT<TAB>OURS.svg<TAB>FOLDED<TAB>PEER.svg` from standard input; PEER.svg may be empty.

OURS.svg was drawn by `hotdrift flame --width 1200`.  Without PEER.svg the expectation is computed from FOLDED by the
documented rules of flame graphs: lines are sorted frame by frame, adjacent equal frames are one box, a box is as wide
as its part of 1180 px, boxes below 0.1 px are not drawn, and a line without a count is ignored.  With PEER.svg it is
read from that file, which flamegraph.pl or inferno-flamegraph wrote.

Prints for each line `WHAT<TAB>FRAMES<TAB>DIFFERENCES`.  The differences are empty if name, x, width (each within 1 px)
and depth of all frames agree.
"""
import html
import re
import sys

WIDTH, PAD, LEAST = 1200, 10, 0.1


def parse_line(line):
    """Return (frames, count), or None for a line without a count.  Of two counts, the last is drawn."""
    m = re.match(r"^(.*?)((?:[ \t]+\d+(?:\.\d*)?){1,2})\s*$", line)
    if not m or not m.group(1).strip():
        return None
    return m.group(1).split(";"), int(m.group(2).split()[-1].split(".")[0])


def shown(name):
    return re.sub(r"_\[[kij]\]$", "", name)


def expected_frames(path):
    """Return a list of (depth, x, width, name) for the stacks of a file."""
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        lines = [p for p in (parse_line(line.rstrip("\n")) for line in f) if p and p[1] > 0]
    lines.sort(key=lambda p: [name.encode("utf-8", "surrogateescape") for name in p[0]])
    total = sum(count for _, count in lines)
    open_frames, at, out = [], 0, []

    def close(to):
        while len(open_frames) > to:
            name, start = open_frames.pop()
            width = (at - start) / total * (WIDTH - 2 * PAD)
            if width >= LEAST:
                out.append((len(open_frames), PAD + start / total * (WIDTH - 2 * PAD), width, shown(name)))

    for frames, count in lines:
        path_now = ["all"] + frames
        same = 0
        while same < len(open_frames) and same < len(path_now) and open_frames[same][0] == path_now[same]:
            same += 1
        close(same)
        for name in path_now[same:]:
            open_frames.append((name, at))
        at += count
    close(0)
    return out


def frames_of_hotdrift(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    rows = re.findall(r'<g class="r" transform="translate\(0,(\d+)\)"[^>]*>\n(.*?)\n</g>\n', text, re.S)
    out = []
    for depth, (_, body) in enumerate(sorted(rows, key=lambda r: -int(r[0]))):
        for name, kind, x, width in re.findall(
                r'<title>([^\n<]*)\n[^<]*</title><rect class="([a-z]\d?)"[^>]*? x="([\d.]+)" width="([\d.]+)"', body):
            if kind != "n0":	# n0 is a block that replaces several narrow frames
                out.append((depth, float(x), float(width), html.unescape(name)))
    return out


def frames_of_peer(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    fluid = re.search(r'<svg id="frames" x="(\d+)" width="(\d+)"', text)
    out = []
    for name, rect in re.findall(r"<title>(.*?) \([^()]*\)</title>\s*<rect ([^>]*)", text, re.S):
        a = dict(re.findall(r'([\w:]+)="([^"]*)"', rect))
        if "%" in a["x"]:
            x0, span = float(fluid.group(1)), float(fluid.group(2))
            x, width = x0 + float(a["x"][:-1]) * span / 100, float(a["width"][:-1]) * span / 100
        else:
            x, width = float(a["x"]), float(a["width"])
        out.append((float(a["y"]), x, width, shown(html.unescape(name))))
    ys = sorted({y for y, _, _, _ in out}, reverse=True)
    return [(ys.index(y), x, width, name) for y, x, width, name in out]


def compare(ours_path, folded, peer):
    """Return (number of frames, list of differences)."""
    ours = frames_of_hotdrift(ours_path)
    want = frames_of_peer(peer) if peer else expected_frames(folded)
    # hotdrift writes a backslash of a name as two; old versions of flamegraph.pl write (x) for <x>
    plain = str.maketrans("<>", "()") if peer else {}
    ours, want = (sorted((d, x, w, n.replace("\\\\", "\\").translate(plain)) for d, x, w, n in side)
                  for side in (ours, want))
    bad = []
    if len(ours) != len(want) or not ours:
        bad.append(f"{len(ours)} frames instead of {len(want)}")
    for o, w in zip(ours, want):
        if o[0] != w[0] or o[3] != w[3] or abs(o[1] - w[1]) > 1 or abs(o[2] - w[2]) > 1:
            bad.append(f"frame {o} instead of {w}")
    return len(ours), bad


for row in sys.stdin:
    what, ours_svg, text, other = row.rstrip("\n").split("\t")
    count, differences = compare(ours_svg, text, other)
    print(f"{what}\t{count}\t{'; '.join(differences[:4])}")
