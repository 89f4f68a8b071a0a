# an acknowledgement applies to the target whose gate failed
# shellcheck source=/dev/null
. "$(dirname "$0")/../gate/history.inc"
usually >usual
sed 's/parse_row 1210/parse_row 1560/' usual >slow
runs usual
commit slow
runs slow
for i in 1 2 3 4 5; do
	sed "s/memmove 1500/memmove 15$i$i/" slow >run.folded
	hotdrift add run.folded --db h.db --target other --recorded "2026-11-20T12:0$i:00Z" >/dev/null
done
status hotdrift gate --db h.db --target serve | head -1
# The newest runs are those of `other`, but the gate of `serve` failed.
status hotdrift ack --db h.db parse_row --reason known
status hotdrift ack --db h.db memmove --reason early
status hotdrift ack --db h.db memmove --reason early --target serve
status hotdrift ack --db h.db memmove --reason both --all-targets
status hotdrift ack --db h.db memmove --reason both --all-targets --target serve
hotdrift ack --db h.db --list | sed 's/  */ /g'
# --withdraw is scoped in the same way: without --target, only one target may have acknowledgements of the symbol
status hotdrift ack --db h.db memmove --withdraw
status hotdrift ack --db h.db memmove --withdraw --target nowhere
status hotdrift ack --db h.db memmove --withdraw --target other --all-targets
status hotdrift ack --db h.db memmove --withdraw --target other
status hotdrift ack --db h.db memmove --withdraw --target serve
status hotdrift ack --db h.db memmove --withdraw
status hotdrift ack --db h.db memmove --reason early --target serve
status hotdrift ack --db h.db memmove --reason both --all-targets
status hotdrift ack --db h.db memmove --withdraw --all-targets
hotdrift ack --db h.db --list | sed 's/  */ /g'
