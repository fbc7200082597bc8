// Kotlin: lambdas, default arguments, a companion, an extension, require and !!.
package shop

class Order(val id: Int, val parts: List<String>?)

class Checkout(private val prices: Map<String, Int>) {
    companion object {
        fun of(vararg pairs: Pair<String, Int>) = Checkout(mapOf(*pairs))
    }

    fun total(order: Order, discount: Int = 0): Int =
        order.parts!!.map { part -> price(part) }.sum() - discount

    private fun price(part: String): Int =
        requireNotNull(prices[part]) { "零件 '$part' 没有价格" }
}

fun Checkout.totals(orders: List<Order>): List<Int> = orders.map { total(it) }

fun main() {
    val checkout = Checkout.of("bolt" to 3)
    try {
        checkout.totals(listOf(Order(7, listOf("bolt")), Order(42, listOf("nut"))))
    } catch (e: IllegalArgumentException) {
        IllegalStateException("orders are not paid", e).printStackTrace()
    }
    checkout.total(Order(43, null))
}
