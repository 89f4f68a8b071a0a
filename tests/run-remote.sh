#!/bin/bash
# run-remote.sh - test push --profile with servers on the loopback that record every byte, one of them with TLS
#
# Without python3, openssl or a hotdrift with libcurl, the suite is reported as skipped.
set -u
export LC_ALL=C NO_COLOR=1
# shellcheck source=tests/suite.sh
. "$(dirname "$0")/suite.sh"
begin_suite remote
needs_built "$hotdrift"
needs "profiles pushed to a server" python3 openssl jq base64 cmp
temporary_folder
cd "$tmp" || exit 1
export HOME=$tmp/home no_proxy='*' XDG_STATE_HOME=$tmp/state
unset HOTDRIFT_DB HOTDRIFT_TOKEN http_proxy https_proxy all_proxy HTTPS_PROXY ALL_PROXY
mkdir home got tls
printf 'main;parse 30\nmain;</script>"\\ 12\n' >run.folded
"$hotdrift" convert run.folded --to pprof -o run.pb.gz || { fail "convert"; finish; }

keep=()
start() {	# NAME FOLDER [CERT KEY]: sets port
	mkfifo "$1.alive" "$1.port"
	python3 "$top/tests/remote/server.py" "$2" "$1.port" "${@:3}" <"$1.alive" &
	keep+=($!)
}
start plain got
exec 8>plain.alive
read -r port <plain.port
url=http://127.0.0.1:$port

push() {	# OPTIONS...: sets status
	status=0
	"$hotdrift" push --profile run.folded --service app --retries 2 "$@" >out 2>err || status=$?
}
requests() { find got -name '*.json' | wc -l; }

push "$url" --label region=eu --label 'note=a"b\c</script>'
if grep -q 'built without libcurl\|cannot be loaded' err; then
	skip "profiles pushed to a server" "$(tail -n 1 err)"
	exec 8>&-
	wait "${keep[@]}"
	finish
fi
claim "a push succeeds: $(cat err)" [ "$status" = 0 ]
claim "there is one request" [ "$(requests)" = 1 ]
claim "its path and type" [ "$(jq -r '.method + " " + .path + " " + .headers["Content-Type"]' got/1.json)" = \
	'POST /push.v1.PusherService/Push application/json' ]
claim "the profile is that of convert, byte by byte" cmp -s \
	<(jq -r '.series[0].samples[0].rawProfile' got/1.body | base64 -d) run.pb.gz
claim "the labels" [ "$(jq -c '[.series[0].labels[] | [.name, .value]]' got/1.body)" = \
	'[["__name__","process_cpu"],["service_name","app"],["region","eu"],["note","a\"b\\\\c</script>"]]' ]
claim "nothing else is in the message" \
	[ "$(jq -c '[keys, (.series[0] | keys), (.series[0].samples[0] | keys)]' got/1.body)" = \
	'[["series"],["labels","samples"],["rawProfile"]]' ]
claim "there is no token" jq -e '.headers | has("Authorization") | not' got/1.json >/dev/null

push "$url/" --protocol ingest --label region=eu
claim "ingest sends the file" cmp -s got/2.body run.pb.gz
claim "with its name in the URL: $(jq -r .path got/2.json)" [ "$(jq -r .path got/2.json)" = \
	'/ingest?format=pprof&name=app%7Bregion%3Deu%7D' ]
push "$url" --protocol parca
claim "Parca's path" [ "$(jq -r .path got/3.json)" = /profiles/writeraw ]
claim "Parca's labels" [ "$(jq -c '.series[0].labels.labels[1]' got/3.body)" = '{"name":"service_name","value":"app"}' ]
claim "Parca's profile" cmp -s <(jq -r '.series[0].samples[0].rawProfile' got/3.body | base64 -d) run.pb.gz

# ---- tokens

(umask 077 && echo s3cret >token)
push "$url" --token-file token
claim "a token is sent: $(cat err)" [ "$(jq -r .headers.Authorization got/4.json)" = 'Bearer s3cret' ]
HOTDRIFT_TOKEN=other push "$url"
claim "also from the environment" [ "$(jq -r .headers.Authorization got/5.json)" = 'Bearer other' ]
chmod 644 token
push "$url" --token-file token
claim "a token that others can read is refused" [ "$status" = 2 ]
chmod 600 token
push http://server.example --token-file token
claim "a token is not sent without TLS: $(cat err)" [ "$status" = 2 ]
push "http://user:pass@127.0.0.1:$port"
claim "a password in the URL is refused" [ "$status" = 2 ]
push "$url" --label '1x=2'
claim "a label with a wrong name is refused" [ "$status" = 2 ]
claim "none of them was a request" [ "$(requests)" = 5 ]

# ---- the status codes of the server

printf '503\n429 Retry-After: 1\n' >got/answers
push "$url"
claim "after 503 and 429 it is sent: $(cat err)" [ "$status" = 0 ]
claim "by three requests" [ "$(requests)" = 8 ]
printf '401\n' >got/answers
push "$url"
claim "401 is final: $(cat err)" [ "$status" = 6 ]
claim "by one request" [ "$(requests)" = 9 ]
claim "the answer is quoted without controls: $(cat -v err)" grep -qF '401: {"code":"internal","message":"\x1b[31mno' \
	err
printf '302 Location: %s/elsewhere\n' "$url" >got/answers
push "$url" --token-file token
claim "a redirect is not followed" [ "$status:$(requests)" = 6:10 ]
claim "and nothing was spooled" [ -z "$(find state -name '*.request' 2>/dev/null)" ]

# ---- the spool

away=http://127.0.0.1:1
printf '500\n500\n500\n' >got/answers
push "$url" --label n=1
claim "without an answer it is spooled: $(cat err)" [ "$status" = 0 ]
claim "with a warning" grep -q 'warning: .*is kept in' err
claim "one entry, for its owner only" [ "$(find state -name '*.request' -perm 0600 | wc -l)" = 1 ]
before=$(requests)
push "$away" --retries 0
claim "another server's spool waits" [ "$(find state -name '*.request' | wc -l)" = 2 ]
push "$url" --label n=2
claim "the next push sends it first: $(cat out)" grep -q 'sent, 1 sent from the spool, 1 waiting' out
claim "in order" [ "$(jq -r '.series[0].labels[2].value' "got/$((before + 1)).body" "got/$((before + 2)).body" |
	tr '\n' ' ')" = '1 2 ' ]
push "$away" --retries 0 --no-spool
claim "--no-spool fails" [ "$status" = 6 ]

# ---- TLS

openssl req -x509 -newkey rsa:2048 -nodes -keyout tls/key.pem -out tls/cert.pem -days 2 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost >openssl.out 2>&1 ||
	{ fail "a certificate" "$(tail -n 1 openssl.out)"; finish; }
mkdir got-tls
start tls got-tls tls/cert.pem tls/key.pem
exec 7>tls.alive
read -r tls_port <tls.port
push "https://localhost:$tls_port" --no-spool --retries 0 --token-file token
claim "an unknown certificate is refused: $(cat err)" [ "$status" = 6 ]
push "https://127.0.0.1:$tls_port" --no-spool --retries 0 --ca tls/cert.pem
claim "so is one for another name: $(cat err)" [ "$status" = 6 ]
claim "nothing was sent to either" [ -z "$(ls got-tls)" ]
push "https://localhost:$tls_port" --no-spool --retries 0 --ca tls/cert.pem --token-file token
claim "a trusted one is accepted: $(cat err)" [ "$status" = 0 ]
claim "and gets the token" [ "$(jq -r .headers.Authorization got-tls/1.json)" = 'Bearer s3cret' ]
exec 7>&- 8>&-
wait "${keep[@]}"
finish
