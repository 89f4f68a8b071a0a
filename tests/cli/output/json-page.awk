# json-page.awk - compare docs/json.md with the formats and members that hotdrift prints
#
#     awk -f json-page.awk docs/json.md LIST
#
# LIST has a line `name FORMAT` for each format in the sources, and for each printed document a line
# `version FORMAT N` and a line `member FORMAT PATH` for each member.  A path is written as in the page: rows[].self.
# Each problem is one line of output.
#
# In the page, the first cell of a table row has paths in backquotes.  Two capital letters or more stand for any text
# without a dot.  A link to another section of the page includes the members of that section, below these paths.

FNR == 1 { file++ }

# ---- the page ----

# Return the anchor of a heading, as GitHub makes it.
function anchor(text) {
	text = tolower(text)
	gsub(/[^a-z0-9 _-]/, "", text)
	gsub(/ /, "-", text)
	return text
}

function add_path(section, path) {
	gsub(/(\[\])+$/, "", path)
	paths[section, ++npaths[section]] = path
}

file == 1 && /^##+ / {
	sub(/^#+ /, "")
	section = anchor($0)
	sections[section] = 1
	for (text = $0; match(text, /hotdrift\.[a-z0-9_-]+/); text = substr(text, RSTART + RLENGTH))
		section_of[substr(text, RSTART, RLENGTH)] = section
}

file == 1 && match($0, /version [0-9]+/) && !(section in version) { version[section] = substr($0, RSTART + 8, RLENGTH - 8) }

file == 1 {
	for (text = $0; match(text, /\]\(#[^)]*\)/); text = substr(text, RSTART + RLENGTH)) {
		links[substr(text, RSTART + 3, RLENGTH - 4)] = FNR
	}
}

file == 1 && /^\| (`|all members of)/ && section in sections {
	split(substr($0, 3), cell, / \| /)
	n = split(cell[1], part, "`")
	for (i = 2; i <= n; i += 2)
		add_path(section, part[i])
	for (text = $0; match(text, /\]\(#[^)]*\)/); text = substr(text, RSTART + RLENGTH)) {
		to = substr(text, RSTART + 3, RLENGTH - 4)
		if (n < 2)
			included[section, ++nincluded[section]] = to " "
		for (i = 2; i <= n; i += 2)
			included[section, ++nincluded[section]] = to " " part[i] "."
	}
}

# ---- the list ----

# Record that the page names `path`, and so the arrays and objects that it is in.
function add_known(format, path,    pattern) {
	for (; path != "" && !((format, path) in known); sub(/(\[\]|\.?[^].[]+)$/, "", path)) {
		known[format, path] = 1
		if (path !~ /[A-Z][A-Z]/)
			continue
		pattern = path
		gsub(/\[\]/, "\\[\\]", pattern)
		gsub(/\./, "\\.", pattern)
		gsub(/[A-Z][A-Z]+/, "[^.]+", pattern)
		patterns[format, ++npatterns[format]] = "^" pattern "$"
	}
}

# Add the members of a section, with `prefix` in front of each path, to those of `format`.
function expand(format, section, prefix, depth,    i, words) {
	for (i = 1; i <= npaths[section]; i++)
		add_known(format, prefix paths[section, i])
	for (i = 1; depth < 3 && i <= nincluded[section]; i++) {
		split(included[section, i], words, " ")
		expand(format, words[1], prefix words[2], depth + 1)
	}
}

function is_known(format, path,    i) {
	if ((format, path) in known || path == "format" || path == "version")
		return 1
	for (i = 1; i <= npatterns[format]; i++)
		if (path ~ patterns[format, i])
			return 1
	return 0
}

file == 2 && !($2 in section_of) {
	if (!missing[$2]++)
		print "docs/json.md has no section for the format " $2
	next
}

file == 2 && !expanded[$2]++ { expand($2, section_of[$2], "", 0) }

file == 2 && $1 == "version" && version[section_of[$2]] != $3 {
	print "docs/json.md: " $2 " has version " $3 ", not " version[section_of[$2]]
}

file == 2 && $1 == "member" {
	path = substr($0, length($1 $2) + 3)
	if (!is_known($2, path) && !reported[$2, path]++)
		print "docs/json.md: the section of " $2 " lacks " path
}

END {
	for (to in links)
		if (!(to in sections))
			print "docs/json.md:" links[to] ": there is no section #" to
}
