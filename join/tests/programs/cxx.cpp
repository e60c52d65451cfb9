// What C++ has: exceptions across both copies, what is defined in every file, what is set up once, what runs before main.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Base {
    virtual ~Base() {}
    virtual int value(int x)
    {
        static int count = 0;
        return count += x;
    }
};
struct Derived : Base {
    int value(int x) override
    {
        if (x > 40)
            throw std::runtime_error("large " + std::to_string(x));
        return Base::value(x) * 2;
    }
};
inline int &once()
{
    static int value = static_cast<int>(std::string("four").size());
    return value;
}
template <class T> T total(const std::vector<T> &all)
{
    T sum{};
    for (const T &one : all)
        sum += one;
    return sum;
}
struct Guard {
    int *at;
    explicit Guard(int *at) : at(at) { ++*at; }
    ~Guard() { --*at; }
};
static int depth, deepest;
__attribute__((noinline)) int recurse(int n, Base *base)
{
    Guard guard(&depth);
    deepest = depth > deepest ? depth : deepest;
    if (n == 0)
        return base->value(45);
    try {
        return recurse(n - 1, base) + 1;
    } catch (const std::runtime_error &) {
        if (n % 3)
            throw;
        return n;
    }
}
namespace {
struct Before {
    std::vector<int> numbers;
    Before()
    {
        for (int i = 0; i < 10; i++)
            numbers.push_back(i * i);
    }
} before;
}

int main()
{
    Derived derived;
    long sum = 0;
    std::map<std::string, int> counts;
    for (int round = 0; round < 50; round++) {
        try {
            sum += derived.value(round);
        } catch (const std::exception &error) {
            counts[error.what()]++;
        }
        try {
            sum += recurse(round % 10, &derived);
        } catch (const std::runtime_error &error) {
            counts[error.what()]++;
        }
        sum += total(before.numbers) + once()++;
        std::function<int(int)> f = [&](int x) { return x + before.numbers[x % 10] + round; };
        auto shared = std::make_shared<std::vector<int>>(3, round);
        auto copy = shared;
        sum += f(round) + total(*copy) + static_cast<int>(copy.use_count());
    }
    std::printf("%ld %zu %d %d %d\n", sum, counts.size(), once(), depth, deepest);
}
