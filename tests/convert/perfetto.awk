# perfetto.awk - print the samples and weights by event of a trace that protoc decoded with samples.proto
#
# It prints EVENT SAMPLES WEIGHT.
#
# Each interned id that a sample or a frame uses must have been defined before in its sequence.
function bad(why) { print "bad: " why; exit 1 }
function known(table, id) { if (!((sequence, table, id) in defined)) bad(table " " id " is not defined") }
{ gsub(/"/, "", $2) }
/^packet/ { sample = 0; iid = table = name = "" }
/^    timebase|^      timebase/ { timebase = 1 }
$1 == "name:" && timebase { name = $2; timebase = 0 }
/^    (function_names|frames|callstacks|build_ids|mapping_paths|source_paths|mappings) / { table = $1 }
# Store definitions and references up to the end of the packet, where its sequence is known.
$1 == "iid:" { definitions[++ndefinitions] = table SUBSEP $2 }
$1 == "function_name_id:" { uses[++nuses] = "function_names" SUBSEP $2 }
$1 == "mapping_id:" { uses[++nuses] = "mappings" SUBSEP $2 }
$1 == "frame_ids:" { uses[++nuses] = "frames" SUBSEP $2 }
$1 == "path_string_ids:" { uses[++nuses] = "mapping_paths" SUBSEP $2 }
$1 == "callstack_iid:" { uses[++nuses] = "callstacks" SUBSEP $2 }
/^  perf_sample / { sample = 1; cpu = "none" }
$1 == "cpu:" && sample { cpu = $2 }
$1 == "timebase_count:" { count = $2 }
$1 == "timestamp:" { time = $2 }
$1 == "trusted_packet_sequence_id:" { sequence = $2 }
/^}/ {
	if (name != "")
		event[sequence] = name
	for (i = 1; i <= ndefinitions; i++)
		defined[sequence SUBSEP definitions[i]] = 1
	for (i = 1; i <= nuses; i++) {
		split(uses[i], part, SUBSEP)
		known(part[1], part[2])
	}
	ndefinitions = nuses = 0
	if (sample) {
		if (time < last[sequence])
			bad("times fall")
		last[sequence] = time
		samples[sequence]++
		weight[sequence] += count - counter[sequence, cpu]
		counter[sequence, cpu] = count
	}
}
END { for (s in samples) printf "%s %d %.0f\n", event[s], samples[s], weight[s] }
