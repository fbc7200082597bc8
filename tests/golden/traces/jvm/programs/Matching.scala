// Scala: no case matches, and an initialiser fails.
package shop

object Config {
  val port: Int = "80a".toInt
}

object Matching {
  def rate(country: Option[String]): Int = (country: @unchecked) match {
    case Some("NL") => 21
  }

  def main(args: Array[String]): Unit =
    try println(List(Some("NL"), None).map(rate))
    catch { case e: MatchError => e.printStackTrace(); println(Config.port) }
}
