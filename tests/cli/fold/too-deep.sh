# a line with more frames than the limit is skipped, and the message has its number
awk 'BEGIN { print "main;f 1"; for (i = 0; i < 131072; i++) printf "f;"; print "f 2"; print "main;g 3" }' >deep.folded
hotdrift fold deep.folded | cut -c 1-80
