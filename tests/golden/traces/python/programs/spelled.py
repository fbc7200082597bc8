"""What differs from release to release: carets, suggestions, comprehension frames, qualified names."""


class Cart:
    def __init__(self, orders):
        self.orders = orders

    def total(self):
        return [(lambda o: o.prize + sum(x for x in o.parts))(order) for order in self.orders]


class Order:
    price = 7
    parts = (1, None)


def main():
    return Cart([Order()]).total()


main()
