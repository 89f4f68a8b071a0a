# sample rejects invalid command lines
try() {
	s=0
	hotdrift sample "$@" || s=$?
	echo "status $s"
}
try
try --power
try -- true
try --memory --pid 1 -- true
try --memory --pid 0
try --memory --pid 1x
try --power=solar -- true
try --power=rapl,constant -- true
try --power=constant:many -- true
try --power=constant:-1 -- true
try --power=constant: -- true
try --memory --interval 0 -- true
try --memory --interval 60001 -- true
try --memory -o /dev/null -- true
try --memory -o no/such/folder -- true
try --memory --pid 2147483647
