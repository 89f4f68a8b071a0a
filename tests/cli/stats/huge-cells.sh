# names and cells may have 70,000 bytes
name=$(head -c 70000 /dev/zero | tr '\0' '<')
digits=$(head -c 70000 /dev/zero | tr '\0' 0)
printf '%s,b\n1,%s7\n2,%s\n3,9.%s\n' "$name" "$digits" "$name" "$digits" > f.csv
hotdrift stats --json f.csv | jq -c '[.columns[] | {n, min, max, lost}], (.columns | keys_unsorted[0] | length)'
