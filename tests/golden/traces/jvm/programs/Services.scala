// Scala: lambdas, a local function, a lazy value, an object's initialiser, a Future.
package shop

import scala.concurrent.{Await, Future}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._

case class Order(id: Int, parts: List[String])

object Prices {
  lazy val table: Map[String, Int] = sys.error("价格表 prices.csv 不可读")
}

trait Totals {
  def total(orders: Seq[Order]): Seq[Int] = orders.map { order =>
    def price(part: String): Int = Prices.table(part)
    order.parts.map(part => price(part)).sum
  }
}

class Checkout extends Totals {
  def run(orders: Seq[Order]): Future[Seq[Int]] = Future { total(orders) }.recover {
    case error => throw new IllegalStateException(s"order ${orders.head.id} has no total", error)
  }
}

object Services {
  def main(args: Array[String]): Unit =
    println(Await.result(new Checkout().run(Seq(Order(42, List("bolt")))), 5.seconds))
}
