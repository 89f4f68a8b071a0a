# firefox.jq - check a processed profile of the Firefox Profiler, and print its samples and weights: SAMPLES WEIGHT
#
# Every table has columns of its length, and every index is inside of the table that it names.
def column($t; $n):
	if ($t[$n] | length) != $t.length then error("\($n): \($t[$n] | length) of \($t.length)") else $t[$n] end;
def table($t; $names): reduce ($names | split(" ")[]) as $n ($t; (column($t; $n) | empty), .);
def inside($column; $n):
	if $column | all(. == null or (. >= -1 and . < $n)) then empty else error("an index is outside") end;
if .meta.preprocessedProfileVersion != 57 then error("version") else . end |
if .meta.categories | any(.color == "grey") then . else error("no default category") end |
(.shared.stringArray | length) as $strings | (.libs | length) as $libs | (.meta.categories | length) as $categories |
[.threads[] |
	if (.pid | type) != "string" then error("pid") else . end |
	([.stackTable, "prefix frame"],
	 [.frameTable, "address inlineDepth category subcategory func nativeSymbol innerWindowID line column"],
	 [.funcTable, "name isJS relevantForJS resource fileName lineNumber columnNumber"],
	 [.resourceTable, "lib name host type"],
	 [.nativeSymbols, "libIndex address name functionSize"], [.samples, "stack time weight"],
	 [.markers, "data name startTime endTime phase category"] | table(.[0]; .[1]) | empty),
	inside(.samples.stack; .stackTable.length), inside(.stackTable.frame; .frameTable.length),
	inside(.frameTable.func; .funcTable.length), inside(.frameTable.category; $categories),
	inside(.frameTable.nativeSymbol; .nativeSymbols.length), inside(.funcTable.name; $strings),
	inside(.funcTable.fileName; $strings), inside(.funcTable.resource; .resourceTable.length),
	inside(.resourceTable.lib; $libs), inside(.resourceTable.name; $strings),
	inside(.nativeSymbols.libIndex; $libs),
	(.stackTable.prefix | to_entries[] | select(.value != null and .value >= .key) |
	 error("a prefix follows its stack")),
	(if .samples.time != (.samples.time | sort) then error("times fall") else empty end),
	.samples] |
"\(map(.length) | add // 0) " +
"\(map((.weight | add // 0) * (if .weightType == "tracing-ms" then 1e6 else 1 end)) | add // 0 | round)"
