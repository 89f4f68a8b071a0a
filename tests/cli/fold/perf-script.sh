# fold reads text of perf script: threads, inlined and unknown frames, two events, other fields
cat >text <<'END'
# captured on: Thu Jul  7 20:47:43 2016
# hostname : build7
Web Content 10/12 [003] 1.500000:     250000 cpu-clock:u:
	    7f1200a4 std::vector<int, std::allocator<int> >::push_back(int const&)+0x14 (/usr/lib/my lib.so (deleted))
	    55d0c0de inner (inlined)
	    55d0c0de main+0x1f (/usr/bin/app)

java 20 1.600000:      100 cpu-clock:u:
	    7f000010 Ljava/io/PrintStream;::print->LBusy;::run (/tmp/perf-20.map)
	           0 [unknown] ([unknown])
	    7f000020 [unknown] (/usr/lib/libjvm.so)
java 20 1.700000:      1 page-faults:u:  ffffffff810 do_fault ([kernel.kallsyms])
java 20 1.800000:      7 cpu-clock:u:

	ffffffff8110 [unknown] ([kernel.kallsyms])
	    7f000030 operator new(unsigned long) (/usr/lib/libstdc++.so.6)
	  new_op.cc:50
END
hotdrift fold text
hotdrift fold --all --process tid text
hotdrift fold --addrs text
hotdrift fold --context --no-tidy text
hotdrift fold --event page-faults text
hotdrift fold --comm 'Web Content' --time 1.4,1.55 --cpu 3 --weight samples text
gzip -c text | hotdrift fold --no-inline --no-tidy -
hotdrift info --json text | grep -e hostname -e '"format":"perf script"' | cut -c 1-60
printf '  7f01 leaf (/bin/a)\n  7f02 main (/bin/a)\n\n  7f02 main (/bin/a)\n' | hotdrift fold -
printf 'app \n\t main (/bin/a)\n\n' | hotdrift fold - || echo "status $?"
{
	printf 'app 5 1.000001: sched:sched_switch: prev_comm=a prev_pid=5 ==> next_comm=b next_pid=0\n'
	printf '\t 7f02 main (/bin/a)\nnot perf script\n  x y z 1\n'
} | hotdrift fold -
