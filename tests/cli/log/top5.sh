# the top five of a run and what changed, as a commit message: no line is wider than 72 columns
printf 'main;parse;read_row 30\nmain;parse 5\nmain;decode 20\nmain;hash_probe 11\nmain;emit 7\nmain;idle 3\n' >a.folded
printf 'main;parse;read_row 30\nmain;parse 5\nmain;decode 40\nmain;%s 11\nmain;emit 7\nmain;[unknown] 3\n' \
	'std::vector<std::pair<std::string, int>>::emplace_back<std::pair<std::string, int>>' >b.folded
mask() { sed 's/-[0-9a-f]\{8\}$/-XXXXXXXX/'; }
hotdrift add a.folded --target serve --recorded 2026-11-20T14:01:02Z --commit 0123456789abcdef0123456789abcdef01234567 \
	>/dev/null
hotdrift add b.folded --target serve --recorded 2026-11-21T14:01:02Z --commit 123456789abcdef0123456789abcdef012345678 \
	>/dev/null
hotdrift log --top5 latest:serve~1 --changes | mask
hotdrift log --top5 latest --changes | mask
hotdrift log --top5 latest --changes | awk 'length($0) > 72 { print "too wide: " $0 }'
hotdrift log | sed 's/-[0-9a-f]\{8\} /-XXXXXXXX /'
hotdrift log --target nobody
