# a run without samples is reported as such: adding it again with its stacks would not change that
# the heap recording of a program that allocated 122 bytes, of which none was sampled
base64 -d <<'END' | gunzip >heap.data
H4sIAAAAAAACA/Nw8XB1DODlYmYAAiYGBgUmBggQYARTzikMDJwpIBaED5IOADIVJFX+1ax8I3HRQhVMM1AIqnCI56Hxy3Ips8dM
z9BCz8RENy1Zt8zMzJJk/RUWZvFmJgj+I2a1Jap8DAzLTiqAaRDgYhg6gAWIFaA0COjpo4Y4APjl0rcgAgAA
END
echo 'main;work 3' >f
hotdrift add heap.data --db h.db --mode memory --target app --recorded 2026-11-20T10:00:00Z >/dev/null 2>&1
hotdrift diff f latest --db h.db 2>&1 | sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/g'
hotdrift info latest --db h.db 2>&1 >/dev/null | sed 's/-[0-9a-f]\{8\}\b/-XXXXXXXX/g'
