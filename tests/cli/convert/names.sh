# the text formats encode hostile names: control bytes, invalid UTF-8, parentheses, an empty name
printf 'a;b\\x0a\377;c <x> 3\nd"e;</script>;(anon) f 7\n\\e;\\e;\\e 1\n' > names.folded
hotdrift convert names.folded --to perf-script | cat -v
hotdrift convert names.folded --to callgrind | grep -v '^creator: ' | cat -v
hotdrift convert names.folded --to speedscope | jq -c '[.shared.frames[].name], .profiles'
hotdrift convert names.folded --to firefox | jq -c '.shared.stringArray, .threads[].samples'
