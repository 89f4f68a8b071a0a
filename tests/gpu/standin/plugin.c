/* plugin.c - a library that app.c loads at run time; it launches kernels from the function WHO, a macro */
void plugin_run(void (*launch)(const char *, unsigned long));

static __attribute__((noinline)) void WHO(void (*launch)(const char *, unsigned long))
{
	launch("plugin_kernel", 1000);
	__asm__ volatile("" ::: "memory");
}

void plugin_run(void (*launch)(const char *, unsigned long))
{
	for (int i = 0; i < 4; i++) {
		WHO(launch);
		__asm__ volatile("" ::: "memory");
	}
}
