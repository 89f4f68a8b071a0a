# a file without read permission is not an error of the input: status 6
cp "$FIXTURES/recordings/calls/perf.data" secret.data
chmod 0 secret.data
as=
if [ "$(id -u)" = 0 ]; then
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	$as "$HOTDRIFT" --version >/dev/null 2>&1 || { echo "another user cannot run $HOTDRIFT here" >&2; exit 77; }
fi
$as "$HOTDRIFT" info secret.data
