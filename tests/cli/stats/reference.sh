# stats agrees with Python's exact fractions and its module statistics
command -v python3 > /dev/null || { echo 'no python3' >&2; exit 77; }
cat > check.py <<'END'
import json, math, random, statistics, subprocess, sys
from fractions import Fraction as F

def reference(v):
    v = sorted(v); n = len(v)
    rank = lambda p: v[max(math.ceil(F(p, 100) * n), 1) - 1]
    def type7(p):
        h = (n - 1) * F(p); i = math.floor(h)
        return F(v[i]) + (h - i) * (F(v[min(i + 1, n - 1)]) - F(v[i]))
    q1, q3 = type7(F(1, 4)), type7(F(3, 4))
    lo, hi = q1 - F(3, 2) * (q3 - q1), q3 + F(3, 2) * (q3 - q1)
    return dict(n=n, mean=float(sum(map(F, v)) / n), std=math.sqrt(statistics.pvariance(map(F, v))),
                p50=rank(50), p95=rank(95), p99=rank(99), min=v[0], max=v[-1],
                outliers=sum(x < lo or x > hi for x in v), q1=float(q1), q3=float(q3), sum=float(sum(map(F, v))))

def line(x, y):
    x, y = list(map(F, x)), list(map(F, y)); n = len(x); mx, my = sum(x) / n, sum(y) / n
    sxx, syy = sum((a - mx) ** 2 for a in x), sum((b - my) ** 2 for b in y)
    sxy = sum((a - mx) * (b - my) for a, b in zip(x, y))
    return dict(slope=float(sxy / sxx), intercept=float(my - sxy / sxx * mx), r2=float(sxy * sxy / sxx / syy))

random.seed(20261122)
worst = 0
def compare(want, got, what):
    global worst
    for k, w in want.items():
        d = abs(got[k] - w) / max(abs(w), 1e-300) if got[k] != w else 0
        exact = k in ("n", "p50", "p95", "p99", "min", "max", "outliers")
        if d > (0 if exact else 1e-13):
            sys.exit(f"{what}: {k}: {got[k]!r}, python says {w!r}")
        worst = max(worst, d)

def columns_of(file):
    out = subprocess.run(["hotdrift", "stats", "--json", file], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)["columns"]

shapes = [lambda: random.gauss(100, 5), lambda: random.lognormvariate(3, 1), lambda: 1e9 + random.random(),
          lambda: random.randint(0, 9), lambda: random.choice([-1, 1]) * random.paretovariate(1.1)]
for n in (1, 2, 3, 4, 5, 19, 20, 21, 99, 100, 101, 1000, 2047, 2048, 2049, 5000):
    rows = [[s() for s in shapes] for _ in range(n)]
    with open("f.csv", "w") as f:
        f.write("a,b,c,d,e\n")
        f.writelines(",".join(map(repr, r)) + "\n" for r in rows)
    got = columns_of("f.csv")
    for i, name in enumerate("abcde"):
        compare(reference([float(r[i]) for r in rows]), got[name], f"{n} rows, column {name}")
rows = [(i, 50 + 0.3 * l + random.random(), 40 + random.random(), l)
        for i, l in enumerate(random.choices([128, 256, 512], k=300))]
with open("l.csv", "w") as f:
    f.write("sample_id,wall_time_us,kernel_time_us,seq_len\n")
    f.writelines(",".join(map(repr, r)) + "\n" for r in rows)
got = columns_of("l.csv")
for k, name in ((1, "wall_time_us"), (2, "kernel_time_us")):
    want = line([float(r[3]) for r in rows], [r[k] for r in rows])
    for key in ("slope", "intercept", "r2"):
        if abs(got[name][key] - want[key]) > 1e-12 * max(1, abs(want[key])):
            sys.exit(f"{name}: {key}: {got[name][key]!r}, python says {want[key]!r}")
print("agree")
END
python3 check.py
