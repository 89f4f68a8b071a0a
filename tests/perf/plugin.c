/* plugin.c - a library that host.c opens at run time */
static volatile unsigned long sink;

__attribute__((noinline)) static unsigned long plugin_inner(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < 20000; i++)
		x = x * 2862933555777941757ul + i;
	sink += x;
	return x;
}

unsigned long plugin_run(unsigned long n);
unsigned long plugin_run(unsigned long n)
{
	return plugin_inner(n) + sink;
}
