/* plugin.c - a library that is loaded while the program runs, and launches */
void plugin_run(void (*launch)(const char *, unsigned long));

void plugin_run(void (*launch)(const char *, unsigned long))
{
	for (int i = 0; i < 4; i++) {
		launch("plugin_kernel", 1000);
		__asm__ volatile("" ::: "memory");
	}
}
