# top adds the cost of inlined code to the function around it, or with --inline to the inlined function
cat > f.folded <<'END'
app;main;work;clamp_[i];low_[i] 50
app;main;work;clamp_[i] 20
app;main;clamp 5
app;main;clamp_[i];work 25
END
hotdrift top f.folded
hotdrift top --inline f.folded
hotdrift top --inline --no-inline --total f.folded
hotdrift top --inline --total --json f.folded
hotdrift report --by symbol --inline f.folded
hotdrift report --by symbol f.folded
