# grid rejects folders that are not grids, and invalid options
hotdrift grid nowhere || echo "exit $?"
mkdir -p g/csv
echo a,b > g/settings.csv
hotdrift grid g || echo "exit $?"
printf 'setting,lambda,tau,status,run\nbaseline,,,ok,\n../x,1,1,ok,\n' > g/settings.csv
hotdrift grid g || echo "exit $?"
printf 'setting,lambda,tau,status,run\nbaseline,,,ok,\n' > g/settings.csv
hotdrift grid g || echo "exit $?"
printf 'setting,lambda,tau,status,run\nbaseline,,,interrupted,\n' > g/settings.csv
hotdrift grid g || echo "exit $?"
hotdrift grid g --max-p95 nan || echo "exit $?"
hotdrift grid g --need both || echo "exit $?"
hotdrift grid || echo "exit $?"
