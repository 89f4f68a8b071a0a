// workload.cc - what the bench records: deep, varied C++ stacks with frame pointers
//
// A recursive-descent parser over generated text, sorting, hashing and a map,
// so that a recording has many distinct stacks of uneven depth.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
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

__attribute__((noinline)) double visit(const Node &n, std::unordered_map<std::string, int> &seen, std::map<std::string, double> &sums)
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
	}
	printf("%g\n", total + (double)sums.size());
	return 0;
}
