/* forms.cpp - allocate by each form of new, in thread_local destructors and during an exception; free in a thread */
extern "C" {
#include "site.h"
}

#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct alignas(64) wide { char c[192]; };

extern "C" {
SITE(by_new, new char[1] - 0)
SITE(by_new_array, new int[100])
SITE(by_nothrow, new (std::nothrow) char[55])
SITE(by_aligned_new, new wide)
SITE(by_operator, ::operator new(1234))
SITE(handed_over, new char[600])
}

extern "C" {
SITE(in_thread_local, new char[77])
}
/* Its destructor is the last code that a thread runs. */
struct at_thread_end {
	char *p = nullptr;
	~at_thread_end() { delete[] p; in_thread_local(); delete[] new char[78]; }
};
static thread_local at_thread_end last;

static NI void *thrower(int n)
{
	std::string text(200, 'x');

	if (n)
		throw std::runtime_error(text);
	return nullptr;
}

extern "C" NI void throws(void)
{
	try {
		sink = thrower(1);
	} catch (const std::runtime_error &e) {
		sink = const_cast<char *>(e.what());
	}
}

extern "C" NI void fill_map(void)
{
	std::map<int, std::string> m;

	for (int i = 0; i < 1000; i++)
		m[i] = std::string(100, 'y');
}

int main()
{
	std::vector<void *> blocks(500);
	void *(*sites[])(void) = { by_new, by_new_array, by_nothrow, by_aligned_new, by_operator };
	const char *names[] = { "by_new", "by_new_array", "by_nothrow", "by_aligned_new", "by_operator" };
	unsigned long sizes[] = { 1, 400, 55, 192, 1234 };

	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < 20 + i; k++)
			sites[i]();
		truth("leaked", names[i], 20ul + i, (20ul + i) * sizes[i]);
	}
	std::thread maker([&] { for (auto &b : blocks) b = handed_over(); });
	maker.join();
	std::thread taker([&] { for (size_t i = 0; i < 400; i++) delete[] static_cast<char *>(blocks[i]); });
	taker.join();
	truth("allocated", "handed_over", 500, 300000);
	truth("leaked", "handed_over", 100, 60000);
	for (int i = 0; i < 30; i++)
		std::thread([] { last.p = new char[79]; }).join();
	truth("leaked", "in_thread_local", 30, 30 * 77);
	for (int i = 0; i < 100; i++)
		throws();
	truth("leaked", "throws", 0, 0);
	fill_map();
	truth("leaked", "fill_map", 0, 0);
	return 0;
}
