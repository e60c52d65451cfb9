// What C++ has that a compiler pass can get wrong: a parser and evaluator of a small language with exceptions as its errors, virtual functions,
// templates, destructors that run while unwinding, lambdas, containers, thread-locals, static objects, member pointers. It prints what it computes.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>
#ifdef PLAIN
static void shmem_init() {}
static void shmem_finalize() {}
#else
#include <shmem.h>
#endif

namespace {

struct Trace {
    static int alive, unwound;
    Trace() { ++alive; }
    Trace(const Trace &) { ++alive; }
    ~Trace()
    {
        --alive;
        if (std::uncaught_exceptions() > 0)
            ++unwound;
    }
};
int Trace::alive, Trace::unwound;

struct Error : std::runtime_error {
    size_t at;
    Error(const std::string &what, size_t at) : std::runtime_error(what), at(at) {}
};

struct Value;
using Scope = std::map<std::string, Value>;
struct Value {
    double number = 0;
    std::shared_ptr<std::function<Value(const std::vector<Value> &)>> call;
    Value(double n = 0) : number(n) {}
};

struct Node {
    Trace trace;
    virtual ~Node() = default;
    virtual Value eval(Scope &scope) const = 0;
    virtual size_t size() const { return 1; }
};
using Ptr = std::unique_ptr<Node>;

struct Number final : Node {
    double value;
    explicit Number(double v) : value(v) {}
    Value eval(Scope &) const override { return value; }
};

struct Name final : Node {
    std::string name;
    size_t at;
    Name(std::string n, size_t a) : name(std::move(n)), at(a) {}
    Value eval(Scope &scope) const override
    {
        auto found = scope.find(name);
        if (found == scope.end())
            throw Error("unknown " + name, at);
        return found->second;
    }
};

template <class Op> struct Binary final : Node {
    Ptr left, right;
    Op op;
    Binary(Ptr l, Ptr r, Op o = Op()) : left(std::move(l)), right(std::move(r)), op(o) {}
    Value eval(Scope &scope) const override
    {
        Trace during;
        return op(left->eval(scope).number, right->eval(scope).number);
    }
    size_t size() const override { return 1 + left->size() + right->size(); }
};

struct Divide {
    double operator()(double a, double b) const
    {
        if (b == 0)
            throw Error("division by zero", 0);
        return a / b;
    }
};

struct Call final : Node {
    std::string name;
    std::vector<Ptr> arguments;
    size_t at;
    Call(std::string n, std::vector<Ptr> a, size_t p) : name(std::move(n)), arguments(std::move(a)), at(p) {}
    Value eval(Scope &scope) const override
    {
        std::vector<Value> values;
        for (const auto &argument : arguments)
            values.push_back(argument->eval(scope));
        Value function = Name(name, at).eval(scope);
        if (!function.call)
            throw Error(name + " is no function", at);
        return (*function.call)(values);
    }
    size_t size() const override
    {
        return std::accumulate(arguments.begin(), arguments.end(), size_t(1), [](size_t n, const Ptr &a) { return n + a->size(); });
    }
};

class Parser {
    const std::string text;
    size_t at = 0;
    char peek()
    {
        while (at < text.size() && text[at] == ' ')
            ++at;
        return at < text.size() ? text[at] : '\0';
    }
    bool accept(char c) { return peek() == c && (++at, true); }
    void expect(char c)
    {
        if (!accept(c))
            throw Error(std::string("expected ") + c, at);
    }
    Ptr primary()
    {
        char c = peek();
        if (accept('(')) {
            Ptr inner = sum();
            expect(')');
            return inner;
        }
        if (c >= '0' && c <= '9') {
            size_t used = 0;
            double value = std::stod(text.substr(at), &used);
            at += used;
            return std::make_unique<Number>(value);
        }
        size_t begin = at;
        while (at < text.size() && ((text[at] | 32) >= 'a' && (text[at] | 32) <= 'z'))
            ++at;
        if (begin == at)
            throw Error("nothing here", at);
        std::string name = text.substr(begin, at - begin);
        if (!accept('('))
            return std::make_unique<Name>(name, begin);
        std::vector<Ptr> arguments;
        if (!accept(')')) {
            do
                arguments.push_back(sum());
            while (accept(','));
            expect(')');
        }
        return std::make_unique<Call>(name, std::move(arguments), begin);
    }
    Ptr product()
    {
        Ptr left = primary();
        while (true)
            if (accept('*'))
                left = std::make_unique<Binary<std::multiplies<double>>>(std::move(left), primary());
            else if (accept('/'))
                left = std::make_unique<Binary<Divide>>(std::move(left), primary());
            else
                return left;
    }

  public:
    explicit Parser(std::string t) : text(std::move(t)) {}
    Ptr sum()
    {
        Ptr left = product();
        while (true)
            if (accept('+'))
                left = std::make_unique<Binary<std::plus<double>>>(std::move(left), product());
            else if (accept('-'))
                left = std::make_unique<Binary<std::minus<double>>>(std::move(left), product());
            else
                return left;
    }
    Ptr whole()
    {
        Ptr all = sum();
        if (peek())
            throw Error("something is left", at);
        return all;
    }
};

template <class F> Value function(F f)
{
    Value value;
    value.call = std::make_shared<std::function<Value(const std::vector<Value> &)>>(f);
    return value;
}

thread_local unsigned evaluated;
struct Counter {
    long hits = 0;
    long miss = 0;
    void hit() { ++hits; }
    void fail() { ++miss; }
} counter;

double run(const std::string &text, Scope &scope)
{
    ++evaluated;
    void (Counter::*done)() = &Counter::hit;
    double result = -1;
    try {
        Trace guard;
        Ptr tree = Parser(text).whole();
        result = tree->eval(scope).number + static_cast<double>(tree->size()) * 1e-6;
    } catch (const Error &error) {
        done = &Counter::fail;
        std::printf("%s at %zu in %s\n", error.what(), error.at, text.c_str());
    } catch (const std::exception &error) {
        done = &Counter::fail;
        std::printf("other: %s\n", error.what());
    }
    (counter.*done)();
    return result;
}

template <int N> struct Fibonacci {
    static long value(std::vector<long> &memo)
    {
        if (memo[N] == 0)
            memo[N] = Fibonacci<N - 1>::value(memo) + Fibonacci<N - 2>::value(memo);
        return memo[N];
    }
};
template <> struct Fibonacci<1> { static long value(std::vector<long> &) { return 1; } };
template <> struct Fibonacci<0> { static long value(std::vector<long> &) { return 1; } };

int deep(int depth)
{
    Trace here;
    if (depth == 0)
        throw std::vector<int>{ 1, 2, 3 };
    int below = deep(depth - 1);
    return below + depth;
}

} // namespace

int main()
{
    shmem_init();
    Scope scope;
    scope["x"] = 3;
    scope["max"] = function([](const std::vector<Value> &a) {
        if (a.empty())
            throw std::out_of_range("max of nothing");
        return Value(std::max_element(a.begin(), a.end(), [](auto &l, auto &r) { return l.number < r.number; })->number);
    });
    scope["sum"] = function([&](const std::vector<Value> &a) {
        return Value(std::accumulate(a.begin(), a.end(), 0.0, [](double s, const Value &v) { return s + v.number; }));
    });
    double total = 0;
    for (const char *text : { "1 + 2 * x", "(1 + 2) * x / 4", "max(1, x, 2) - sum(1, 2, 3, x)", "y + 1", "1 / (x - 3)", "max()",
                              "2 * (3 + ", "x(1)", "1 2", "sum(max(1, 2), max(3, 4) * 2, 5 / 2)" })
        total += run(text, scope);
    for (int i = 0; i < 50; ++i) {
        scope["x"] = i;
        total += run("sum(x * x, max(x, 10 - x), (x + 1) / (x + 2)) * (x - 3)", scope);
    }
    std::printf("total %.6f evaluated %u hits %ld misses %ld\n", total, evaluated, counter.hits, counter.miss);
    int caught = 0;
    for (int depth = 0; depth < 30; depth += 7)
        try {
            deep(depth);
        } catch (const std::vector<int> &thrown) {
            caught += thrown[1] + depth;
        }
    std::printf("caught %d alive %d unwound %d\n", caught, Trace::alive, Trace::unwound);
    std::vector<long> memo(41);
    std::printf("fibonacci %ld\n", Fibonacci<40>::value(memo));
    std::vector<std::string> words;
    for (unsigned i = 0; i < 60; ++i)
        words.push_back(std::string(i % 7, static_cast<char>('a' + i % 26)) + std::to_string(i * 37 % 61));
    std::stable_sort(words.begin(), words.end(), [](const auto &a, const auto &b) { return a.size() < b.size(); });
    std::string all;
    for (const auto &word : words)
        all += word;
    std::printf("words %zu %s\n", std::hash<std::string>()(all) % 1000003, all.substr(0, 40).c_str());
    shmem_finalize();
}
