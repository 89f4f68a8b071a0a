# the order and the spacing of the six keys do not change the hash; it is the SHA-256 of the canonical text
cat >a.json <<'END'
{ "compiler_flags": "-O2 -g", "eps": 0.0000001, "tau": 18446744073709551615,
  "lambda": 0.1, "weights_hash": "9f86", "model_commit": "ab12cd3" }
END
printf '{"model_commit":"ab12cd3","weights_hash":"9f86","lambda":1e-1,"tau":18446744073709551615,' >b.json
printf '"eps":1e-7,"compiler_flags":"-O2 -g"}' >>b.json
hotdrift hash a.json
hotdrift hash - <b.json
hotdrift hash --canonical a.json
hotdrift hash --canonical a.json | sed -n 2p | tr -d '\n' | sha256sum
hotdrift hash --json b.json
