// Kotlin: coroutines, with and without recovered stacks.
package shop

import kotlinx.coroutines.*

class Missing(message: String) : RuntimeException(message)

open class Prices {
    open suspend fun price(part: String): Int {
        delay(1)
        throw Missing("no price for $part")
    }
}

class Shop(private val prices: Prices) {
    suspend fun total(parts: List<String>): Int = coroutineScope {
        parts.map { part -> async { prices.price(part) } }.map { it.await() }.sum()
    }
}

fun main() {
    try {
        runBlocking(Dispatchers.Default) {
            withContext(CoroutineName("checkout")) { Shop(Prices()).total(listOf("bolt")) }
        }
    } catch (e: Missing) {
        e.printStackTrace()
    }
    val job = GlobalScope.launch { Prices().price("nut") }
    runBlocking { job.join() }
}
