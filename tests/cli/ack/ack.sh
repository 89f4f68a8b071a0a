# an acknowledged rise passes up to its level, and the output says that it is acknowledged
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
runs usual
commit slow
sed 's/parse_row 1210/parse_row 1560/' usual >slow
runs slow
status hotdrift ack --db h.db --list
status hotdrift ack --db h.db parse_row
status hotdrift ack --db h.db nobody --reason x
status hotdrift ack --db h.db parse_row --reason x --expires tomorrow
status hotdrift ack --db h.db parse_row --reason "$(printf 'checks \033[31mUTF-8 now')" --author someone
status hotdrift gate --db h.db
status hotdrift ack --db h.db --list
status hotdrift ack --db h.db --list --json | sed 's/"created": "[^"]*"/"created"/; s/"commit": "[0-9a-f]*"/"commit"/'
status hotdrift ack --db h.db parse_row --withdraw
status hotdrift ack --db h.db parse_row --withdraw
status hotdrift gate --db h.db
status hotdrift ack --db h.db parse_row --level 5 --reason low --expires 2999-12-31
status hotdrift gate --db h.db | head -3
# the object of an acknowledgement may have any name
status hotdrift ack --db h.db parse_row --level 5 --reason one --object "$(printf 'lib\033.so')"
status hotdrift ack --db h.db parse_row --withdraw --object "$(printf 'lib\033.so')"
