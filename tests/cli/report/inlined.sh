# a function that was inlined everywhere is a function only with --inline: the message says so, and where it was inlined
printf 'main;parse;clamp_[i] 5\nmain;read;clamp_[i] 3\nmain;read;clamp_[i];max 2\nmain;open 10\n' >f
for how in --peek --callers --callees; do
	hotdrift report $how clamp f || echo "exit $?"
done
hotdrift report --peek clamp --inline f
# no function of this name was inlined either
hotdrift report --peek clamps f || echo "exit $?"
# of many functions, the message lists three
for i in 1 2 3 4 5; do echo "main;f$i;clamp_[i] $i"; done >many
hotdrift report --peek clamp many || echo "exit $?"
