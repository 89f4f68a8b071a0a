# both costs of a recording with inlined functions are stored; with --inline, the cost by inlined function is `self`
copies() { hotdrift add --symfs "$FIXTURES/recordings/copies/symfs" "$FIXTURES/recordings/copies/perf.data" \
	--machine unknown "$@"; }
copies --db a.db >/dev/null
hotdrift query --db a.db "SELECT h.rank, s.name, h.self, h.inline_self, h.inline_total, h.vaddr FROM hotspot h
	JOIN symbol s ON s.id = h.symbol_id ORDER BY h.rank"
hotdrift query --db a.db "SELECT symbol, self FROM v_top5"
hotdrift query --db a.db "SELECT inline_mode FROM run"
copies --db b.db --inline >/dev/null
hotdrift query --db b.db "SELECT h.rank, s.name, h.self, h.inline_self, h.inline_total FROM hotspot h
	JOIN symbol s ON s.id = h.symbol_id ORDER BY h.rank"
hotdrift query --db b.db "SELECT inline_mode FROM run"
