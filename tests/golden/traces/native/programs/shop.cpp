// A shop that fails in a way of one's choice: nested namespaces, templates, lambdas, virtual calls, recursion.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shop {
struct Item {
    int price = 0;
};

namespace {
int total(const std::vector<Item>& items, std::size_t at) {
    return items.at(at).price;
}
}  // namespace

template <typename Key, typename Value>
class Store {
  public:
    virtual ~Store() = default;
    virtual Value* find(Key key) const {
        (void)key;
        return nullptr;
    }
    int price(Key key) const {
        return *find(key);
    }
};

class Order {
  public:
    explicit Order(int depth) : depth_(depth) {}
    int operator()(int price) const {
        return depth_ > 0 ? Order(depth_ - 1)(price) : store_.price("库存");
    }
    void release(char* bytes) {
        std::free(bytes);
        std::free(bytes);
    }

  private:
    int depth_;
    Store<const char*, int> store_;
};

void run(const std::function<void(int)>& work) {
    for (int i = 0; i < 1; ++i) {
        work(i);
    }
}
}  // namespace shop

static void fill(char* to, std::size_t size) {
    std::memset(to, 7, size);
}

static int deep(int level) {
    volatile char room[256] = {0};
    return deep(level + 1) + room[level % 256];
}

int main(int count, char** values) {
    const std::string how = count > 1 ? values[1] : "null";
    if (how == "null") {
        shop::Order order(2);
        return order(3);
    }
    if (how == "range") {
        std::vector<shop::Item> items(3);
        shop::run([&items](int i) { std::printf("%d\n", shop::total(items, 41 + i)); });
    }
    if (how == "assert") {
        std::thread([] { assert(1 + 1 == 3 && "订单 42 不存在"); }).join();
    }
    if (how == "double-free") {
        shop::Order(0).release(static_cast<char*>(std::malloc(10)));
    }
    if (how == "smash") {
        char small[8];
        fill(small, 64);
        std::printf("%d\n", small[0]);
    }
    if (how == "overflow") {
        char* bytes = static_cast<char*>(std::malloc(10));
        fill(bytes, 11);
        std::free(bytes);
    }
    if (how == "after-free") {
        auto* item = new shop::Item();
        delete item;
        shop::run([item](int) { std::printf("%d\n", item->price); });
    }
    if (how == "leak") {
        shop::run([](int) { std::printf("%p\n", static_cast<void*>(new shop::Item[4])); });
    }
    if (how == "deep") {
        return deep(0);
    }
    if (how == "divide") {
        volatile int nothing = count - 2;
        shop::run([&nothing](int i) { std::printf("%d\n", (i + 7) / nothing); });
    }
    if (how == "undefined") {
        int most = 2147483647;
        shop::run([&most](int i) { most += i + 1; });
        std::printf("%d\n", most << 33);
    }
    if (how == "uninitialised") {
        int* price = static_cast<int*>(std::malloc(sizeof(int)));
        if (*price > 3) {
            std::printf("dear\n");
        }
    }
    if (how == "race") {
        int stock = 1;
        std::thread buyer([&stock] { ++stock; });
        ++stock;
        buyer.join();
    }
    return 0;
}
