# column names are escaped in the terminal, the table and the JSON
printf '"\033[2Jx","a\nb","=1+1","say ""hi""","|`",\377,"\342\200\256txt",[unknown]\n' > f.csv
printf '1,2,3,4,5,6,7,8\n1,2,3,4,5,6,7,8\n' >> f.csv
hotdrift stats f.csv
hotdrift stats --format markdown f.csv | head -n 12
hotdrift stats --json f.csv | jq -r '.columns | keys_unsorted[]'
