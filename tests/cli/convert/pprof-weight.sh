# a weight above 2^63 - 1 does not fit in a pprof profile: nothing is written
printf 'main;a 9223372036854775807\n' >most.folded
printf 'main;a 9223372036854775807\nmain;b 1\n' >more.folded
hotdrift convert most.folded --to pprof -o most.pb.gz
hotdrift fold most.pb.gz
hotdrift convert more.folded --to pprof -o more.pb.gz || echo "convert: exit $?"
hotdrift push --profile more.folded http://127.0.0.1:9/ || echo "push: exit $?"
ls
