# a trace without GPU activity says so, and gives no verdict about a GPU
printf '%s\n' '{"schemaVersion": 1, "traceEvents": [' \
	'{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 33, "tid": 44, "ts": 1661203462598738, "dur": 19,' \
	'"args": {}}]}' > trace.json
hotdrift info trace.json
hotdrift top trace.json
