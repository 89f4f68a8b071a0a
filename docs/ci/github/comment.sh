#!/bin/sh
# comment.sh FILE - write FILE as a comment on a pull request, or update the comment that was written before
#
# The first line of FILE (hotdrift gate --comment) identifies the comment.  Environment, as GitHub Actions sets it:
#   GITHUB_TOKEN       token with the permission pull-requests: write; it is never on a command line
#   GITHUB_API_URL     https://api.github.com
#   GITHUB_REPOSITORY  OWNER/NAME
#   PR_NUMBER          number of the pull request
# Needs curl and jq.  Exit: 0 written, 1 not written; the token of a pull request from a fork may only read.
set -eu

file=$1
marker=$(head -n 1 "$file")
case $marker in
'<!-- hotdrift '*' -->') ;;
*) echo "comment.sh: $file does not begin with the hidden line of 'hotdrift gate --comment'" >&2; exit 1 ;;
esac
case $PR_NUMBER in '' | *[!0-9]*) echo "comment.sh: PR_NUMBER is not a number" >&2; exit 1 ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

call() {	# METHOD URL [BODY]: the answer goes to $tmp/answer
	printf 'header = "Authorization: Bearer %s"\n' "$GITHUB_TOKEN" |
		curl -sS --fail-with-body --max-time 60 --retry 3 --config - -H 'Accept: application/vnd.github+json' \
			-X "$1" ${3:+--data-binary "@$3"} -o "$tmp/answer" "$2" && return
	echo "comment.sh: $1 $2 fails: $(jq -r '.message // empty' "$tmp/answer" 2>/dev/null)" >&2
	exit 1
}

comments=$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/issues
id='' page=1
while [ "$page" -le 100 ]; do
	call GET "$comments/$PR_NUMBER/comments?per_page=100&page=$page"
	id=$(jq -r --arg marker "$marker" \
		'[.[] | select((.body // "") | startswith($marker))][0].id // empty' "$tmp/answer")
	if [ -n "$id" ] || [ "$(jq length "$tmp/answer")" != 100 ]; then
		break
	fi
	page=$((page + 1))
done
jq -Rs '{body: .}' "$file" >"$tmp/body"
if [ -n "$id" ]; then
	call PATCH "$comments/comments/$id" "$tmp/body"
else
	call POST "$comments/$PR_NUMBER/comments" "$tmp/body"
fi
