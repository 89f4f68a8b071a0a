# a gzipped message that holds the names
printf 'a;b 3\n' | hotdrift convert - --to pprof -o out.pb.gz
gzip -dc out.pb.gz | tr -c '[:lower:]' '\n' | grep -x 'folded\|count\|b' | sort -u
