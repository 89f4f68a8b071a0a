// workload.cc - a workload in C++ with deep, varied stacks and many inlined functions
//
// usage: workload SECONDS
//
// It parses generated text by recursive descent, sorts, hashes and fills a map.
// Then it runs template code: a chain of stages that are inlined into each other
// except every fourth, expression templates of matrices, std::visit of a variant,
// a regular expression.  The compiler workloads compile this file.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace {

uint64_t state = 88172645463325252ull;
uint64_t next_random()
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

struct Node {
	std::string name;
	double value = 0;
	std::vector<std::unique_ptr<Node>> children;
};

class Parser {
	const std::string &text;
	size_t at = 0;

	__attribute__((noinline)) std::string word()
	{
		std::string w;
		while (at < text.size() && isalpha((unsigned char)text[at]))
			w += text[at++];
		return w;
	}
	__attribute__((noinline)) double number()
	{
		double v = 0;
		while (at < text.size() && isdigit((unsigned char)text[at]))
			v = v * 10 + (text[at++] - '0');
		return v;
	}
	__attribute__((noinline)) std::unique_ptr<Node> list(int depth)
	{
		auto n = std::make_unique<Node>();
		at++;
		while (at < text.size() && text[at] != ')') {
			n->children.push_back(value(depth + 1));
			if (at < text.size() && text[at] == ',')
				at++;
		}
		at++;
		return n;
	}
	__attribute__((noinline)) std::unique_ptr<Node> value(int depth)
	{
		if (at < text.size() && text[at] == '(')
			return list(depth);
		auto n = std::make_unique<Node>();
		if (at < text.size() && isdigit((unsigned char)text[at]))
			n->value = number();
		else
			n->name = word();
		return n;
	}

public:
	explicit Parser(const std::string &t) : text(t) {}
	std::unique_ptr<Node> parse() { return value(0); }
};

__attribute__((noinline)) void generate(std::string &out, int depth)
{
	if (depth <= 0 || next_random() % 5 == 0) {
		if (next_random() % 2)
			out += std::to_string(next_random() % 100000);
		else
			for (int i = 0; i < 6; i++)
				out += (char)('a' + next_random() % 26);
		return;
	}
	out += '(';
	for (uint64_t n = 1 + next_random() % 4, i = 0; i < n; i++) {
		if (i)
			out += ',';
		generate(out, depth - 1);
	}
	out += ')';
}

__attribute__((noinline)) double visit(const Node &n, std::unordered_map<std::string, int> &seen,
				       std::map<std::string, double> &sums)
{
	double total = n.value;
	if (!n.name.empty()) {
		seen[n.name]++;
		sums[n.name.substr(0, 3)] += (double)seen[n.name];
	}
	for (const auto &c : n.children)
		total += visit(*c, seen, sums);
	return total;
}

// ---- a chain of stages: each is inlined into its caller, except that every fourth is a function of its own

template <unsigned... N> struct Chain;
template <> struct Chain<> {
	static uint64_t run(uint64_t x) { return x; }
};
template <unsigned N, unsigned... Rest> struct Chain<N, Rest...> {
	static uint64_t mix(uint64_t x) { return (x ^ (x >> (N + 1))) * 0x9e3779b97f4a7c15ull; }
	__attribute__((noinline)) static uint64_t outlined(uint64_t x)
	{
		uint64_t r = Chain<Rest...>::run(mix(x));
		asm volatile("" : "+r"(r));
		return r + N;
	}
	static uint64_t run(uint64_t x)
	{
		if constexpr (N % 4 == 3)
			return outlined(x);
		else
			return Chain<Rest...>::run(mix(x));
	}
};

template <unsigned... N> uint64_t chained(std::integer_sequence<unsigned, N...>, unsigned rounds)
{
	std::vector<uint64_t> v(rounds);
	std::iota(v.begin(), v.end(), 0);
	std::transform(v.begin(), v.end(), v.begin(), [](uint64_t x) { return Chain<N...>::run(x); });
	return std::accumulate(v.begin(), v.end(), uint64_t(0), std::bit_xor<>());
}
__attribute__((noinline)) uint64_t pipeline(unsigned rounds)
{
	return chained(std::make_integer_sequence<unsigned, 24>(), rounds);
}

// ---- matrices as expression templates: the elements are computed by the assignment

template <class E> struct Expression {
	const E &self() const { return static_cast<const E &>(*this); }
};
struct Matrix : Expression<Matrix> {
	static constexpr size_t side = 24;
	std::array<double, side * side> cells{};
	double at(size_t r, size_t c) const { return cells[r * side + c]; }
	template <class E> Matrix &operator=(const Expression<E> &e)
	{
		for (size_t r = 0; r < side; r++)
			for (size_t c = 0; c < side; c++)
				cells[r * side + c] = e.self().at(r, c);
		return *this;
	}
};
template <class A, class B> struct Plus : Expression<Plus<A, B>> {
	const A &a;
	const B &b;
	Plus(const A &x, const B &y) : a(x), b(y) {}
	double at(size_t r, size_t c) const { return a.at(r, c) + b.at(r, c); }
};
template <class A, class B> struct Times : Expression<Times<A, B>> {
	const A &a;
	const B &b;
	Times(const A &x, const B &y) : a(x), b(y) {}
	double at(size_t r, size_t c) const
	{
		double sum = 0;
		for (size_t k = 0; k < Matrix::side; k++)
			sum += a.at(r, k) * b.at(k, c);
		return sum;
	}
};
template <class A, class B> Plus<A, B> operator+(const Expression<A> &a, const Expression<B> &b)
{
	return { a.self(), b.self() };
}
template <class A, class B> Times<A, B> operator*(const Expression<A> &a, const Expression<B> &b)
{
	return { a.self(), b.self() };
}

__attribute__((noinline)) double matrices()
{
	Matrix a, b, c;
	for (auto &x : a.cells)
		x = (double)(next_random() % 100) / 100;
	for (auto &x : b.cells)
		x = (double)(next_random() % 100) / 100;
	for (int i = 0; i < 3; i++)
		c = a * b + b * a + a;
	return std::inner_product(c.cells.begin(), c.cells.end(), a.cells.begin(), 0.0);
}

// ---- a tree of variants, and a visitor for it

struct Circle;
struct Pack;
using Shape = std::variant<int, std::string, std::unique_ptr<Circle>, std::unique_ptr<Pack>>;
struct Circle {
	double radius;
	std::optional<Shape> inside;
};
struct Pack {
	std::vector<Shape> shapes;
};
template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

Shape make_shape(int depth)
{
	switch (depth <= 0 ? next_random() % 2 : next_random() % 4) {
	case 0: return (int)(next_random() % 100);
	case 1: return std::to_string(next_random() % 5000);
	case 2: return std::make_unique<Circle>(Circle{ (double)(next_random() % 10), make_shape(depth - 1) });
	default: {
		auto p = std::make_unique<Pack>();
		for (int i = 0; i < 5; i++)
			p->shapes.push_back(make_shape(depth - 1));
		return p;
	}
	}
}
double area(const Shape &s)
{
	return std::visit(Overloaded{
		[](int side) { return (double)side * side; },
		[](const std::string &name) { return (double)std::hash<std::string>{}(name) / 1e18; },
		[](const std::unique_ptr<Circle> &c) {
			return 3.14 * c->radius * c->radius + (c->inside ? area(*c->inside) : 0);
		},
		[](const std::unique_ptr<Pack> &p) {
			return std::accumulate(p->shapes.begin(), p->shapes.end(), 0.0,
				[](double t, const Shape &x) { return t + area(x); });
		},
	}, s);
}

// ---- sorting by several keys, a regular expression, calls through std::function

__attribute__((noinline)) size_t rank_and_match(const std::string &text)
{
	std::vector<std::tuple<size_t, std::string, uint64_t>> rows;
	for (size_t i = 0; i + 8 < text.size() && rows.size() < 1500; i += 5)
		rows.emplace_back(i % 11, text.substr(i, 7), next_random());
	std::sort(rows.begin(), rows.end());
	std::stable_sort(rows.begin(), rows.end(),
		[](const auto &a, const auto &b) { return std::get<1>(a) > std::get<1>(b); });
	std::set<std::string> distinct;
	for (const auto &[n, s, r] : rows)
		distinct.insert(s);
	static const std::regex pattern("([a-z]{2,})(,|\\))([0-9]+)");
	std::string part = text.substr(0, 2500);
	return distinct.size() + (size_t)std::distance(
		std::sregex_iterator(part.begin(), part.end(), pattern), std::sregex_iterator());
}

__attribute__((noinline)) uint64_t ackermann(unsigned m, unsigned n)
{
	std::function<uint64_t(uint64_t, uint64_t)> f = [&](uint64_t a, uint64_t b) -> uint64_t {
		return a == 0 ? b + 1 : b == 0 ? f(a - 1, 1) : f(a - 1, f(a, b - 1));
	};
	return f(m, n);
}

} // namespace

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
	std::unordered_map<std::string, int> seen;
	std::map<std::string, double> sums;
	double total = 0;

	while (clock() < end) {
		std::string text;
		generate(text, 12);
		auto tree = Parser(text).parse();
		total += visit(*tree, seen, sums);
		std::vector<std::string> names;
		for (const auto &s : seen)
			names.push_back(s.first);
		if (names.size() > 20000)
			seen.clear();
		std::sort(names.begin(), names.end());
		total += (double)(pipeline(20000) % 1000) + matrices() + area(make_shape(9));
		total += (double)rank_and_match(text) + (double)ackermann(2, 15);
	}
	printf("%g\n", total + (double)sums.size());
	return 0;
}
