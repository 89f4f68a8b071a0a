"""Validate a report: validate.py schema SCHEMA FILE | openmetrics FILE | dashboard FILE

validate.py workflows FOLDER OUT writes the shell steps of docs/ci/ to files in OUT.
"""
import json
import sys


def schema(path, file):
    import jsonschema
    with open(path) as s, open(file) as f:
        rules = json.load(s)
        kind = jsonschema.validators.validator_for(rules, default=jsonschema.Draft7Validator)
        faults = list(kind(rules).iter_errors(json.load(f)))
    for fault in faults:
        print("/".join(map(str, fault.absolute_path)), fault.message[:300])
    return not faults


def openmetrics(file):
    from prometheus_client.openmetrics import parser
    with open(file) as f:
        families = list(parser.text_fd_to_metric_families(f))
    for family in families:
        print(family.name, family.type, len(family.samples))
        for sample in family.samples:
            if "symbol" in sample.labels:
                print("symbol", json.dumps(sample.labels["symbol"]))
    return bool(families)


def dashboard(file):
    """Print each query of a Grafana dashboard, with its macros and variables replaced as Grafana does."""
    with open(file) as f:
        board = json.load(f)
    ids = [p["id"] for p in board["panels"]]
    cells = [(x, y) for p in board["panels"] for g in [p["gridPos"]] for x in range(g["x"], g["x"] + g["w"])
             for y in range(g["y"], g["y"] + g["h"])]
    good = len(ids) == len(set(ids)) and len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24
    queries = [t["rawSql"] for p in board["panels"] for t in p["targets"]]
    queries += [a["target"]["rawSql"] for a in board["annotations"]["list"]]
    queries += [v["query"] for v in board["templating"]["list"] if v["type"] == "query"]
    for q in queries:
        for macro, value in (("$__timeFrom()", "'2020-01-01T00:00:00Z'"), ("$__timeTo()", "'2099-01-01T00:00:00Z'"),
                             ("${target:sqlstring}", "'serve'"), ("${mode:sqlstring}", "'cpu'"),
                             ("${event:sqlstring}", "'samples'")):
            q = q.replace(macro, value)
        good = good and "$" not in q
        print(q)
    return good


def workflows(folder, out):
    import yaml

    def load(name):
        with open(f"{folder}/{name}") as f:
            return yaml.safe_load(f)

    load("github/hotdrift.yml")
    texts = {f"action{i}.sh": step["run"] for i, step in enumerate(load("github/action.yml")["runs"]["steps"])}
    job = load("gitlab-ci.yml")["hotdrift"]
    texts["gitlab.sh"] = "\n".join(job["script"])
    texts["gitlab.reports"] = "\n".join(job["artifacts"]["reports"].values())
    for name, text in texts.items():
        with open(f"{out}/{name}", "w") as f:
            f.write(text + "\n")
    return True


if __name__ == "__main__":
    sys.exit(not globals()[sys.argv[1]](*sys.argv[2:]))
