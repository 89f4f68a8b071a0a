# stats prints values and intervals, and for the times a fitted line
cat > l.csv <<'END'
sample_id,wall_time_us,kernel_time_us,seq_len
1,110,81,100
2,210,161,200
3,310,241,300
4,412,321,400
5,508,401,500
6,611,481,600
7,709,561,700
8,811,641,800
9,1910,721,900
10,1010,801,1000
END
hotdrift stats l.csv
hotdrift stats --format markdown --column wall_time_us l.csv
