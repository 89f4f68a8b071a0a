# --pid samples a running process until it ends
# shellcheck source=/dev/null
. "$(dirname "$0")/sample.inc"
# The process ends when `hotdrift sample` watches it, or has ended.
cat >app.sh <<'EOF'
until [ -s sampler ]; do :; done
read -r sampler <sampler
while [ -d "/proc/$sampler/fd" ] && ! ls -l "/proc/$sampler/fd" 2>/dev/null | grep -q pidfd; do :; done
EOF
sh app.sh &
app=$!
hotdrift sample --memory --power=constant:5 --pid "$app" -o out 2>err &
sampler=$!
echo "$sampler" >sampler.new
mv sampler.new sampler
s=0
wait "$sampler" || s=$?
wait "$app"
if grep -q pidfd_open err; then
	echo "this kernel has no pidfd_open" >&2
	exit 77
fi
echo "status $s"
sed -n 's/process [0-9]*: .*/process N/p' err
jq -c '{command, status, exit_status, has_pid: (.pid > 0)}' out/sample.json
