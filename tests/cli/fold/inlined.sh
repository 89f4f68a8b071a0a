# inlined functions are frames; --annotate marks them, and marked text can be read again
cat > f.folded <<'END'
app;main;work;clamp_[i];low_[i] 50
app;main;clamp 5
END
hotdrift fold f.folded
hotdrift fold --annotate f.folded | tee g.folded
hotdrift fold --annotate g.folded | cmp - g.folded
hotdrift flame f.folded -o f.svg
grep -c '>inlined<' f.svg
