# --time selects a part of the file; both ends are interpolated
cat > p.csv <<'EOF'
timestamp_us,watts
1700000000000000,0
1700000010000000,100
1700000020000000,100
EOF
hotdrift energy --json --time 1700000005,1700000015 p.csv | jq -c '{total_joules,duration_s}'
hotdrift energy --json --time 1700000015, p.csv | jq -c '{total_joules,duration_s}'
hotdrift energy --json --time 1700000030,1700000040 p.csv | jq -c '{total_joules,duration_s,status}'
hotdrift energy --time 5 p.csv
