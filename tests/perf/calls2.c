/* calls2.c - a second file of calls.c, with another static function that is called `work` */
static volatile unsigned long sink2;

__attribute__((noinline)) static unsigned long work(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < 10000; i++)
		x ^= (x << 7) + i;
	sink2 += x;
	return x;
}

unsigned long other_file_work(unsigned long n);
unsigned long other_file_work(unsigned long n)
{
	return work(n) + sink2;
}
