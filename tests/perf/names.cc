// names.cc - a program with many kinds of C++ names: overloads, templates, operators, a lambda, a namespace
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

static volatile unsigned long sink;

namespace deep::er {
struct Shape {
	virtual ~Shape() {}
	virtual unsigned long area(unsigned long n) const = 0;
};
template <typename T, int N>
struct Box : Shape {
	T v[N] = {};
	__attribute__((noinline)) unsigned long area(unsigned long n) const override
	{
		unsigned long x = n;
		for (int i = 0; i < 5000; i++)
			x = x * 31 + (unsigned long)v[i % N];
		return x;
	}
	__attribute__((noinline)) Box operator+(const Box &o) const
	{
		Box r;
		for (int k = 0; k < 200; k++)
			for (int i = 0; i < N; i++)
				r.v[i] = v[i] + o.v[i] + (T)(k + (int)sink);
		return r;
	}
};
}

__attribute__((noinline)) static unsigned long over(int n)
{
	unsigned long x = 1;
	for (int i = 0; i < 3000; i++)
		x = x * 33 + (unsigned long)(n + i);
	return x;
}
__attribute__((noinline)) static unsigned long over(double n)
{
	double x = n;
	for (int i = 0; i < 3000; i++)
		x = x * 0.5 + i;
	return (unsigned long)x;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.5;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	deep::er::Box<int, 16> a, b;
	deep::er::Box<double, 8> c;
	const deep::er::Shape *shapes[] = { &a, &c };
	auto sum = [](const std::vector<unsigned long> &v) __attribute__((noinline)) {
		unsigned long s = 0;
		for (int k = 0; k < 20; k++)
			for (unsigned long x : v)
				s = s * 3 + x;
		return s;
	};
	std::map<std::string, unsigned long> m;
	std::vector<unsigned long> v(200);

	while (clock() < end) {
		for (const auto *s : shapes)
			sink = sink + s->area(sink);
		a = a + b;
		sink = sink + over(1) + over(2.0);
		v[sink % 200] = sink;
		sink = sink + sum(v);
		m[std::to_string(sink % 500)] += sink;
	}
	return sink == 42;
}
