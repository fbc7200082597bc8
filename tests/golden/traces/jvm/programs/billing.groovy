// Groovy: closures, call sites, the meta class.
class Ledger {
    def rows = [:]

    def price(key) {
        rows[key].amount
    }

    def methodMissing(String name, args) {
        throw new MissingMethodException(name, Ledger, args)
    }
}

def total(ledger, keys) {
    keys.collect { key -> ledger.price(key) }.sum()
}

try {
    new Ledger().refund(42)
} catch (MissingMethodException e) {
    e.printStackTrace()
}
total(new Ledger(), [7, 42])
