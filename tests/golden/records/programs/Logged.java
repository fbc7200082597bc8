import java.nio.file.Path;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configurator;

/** Layouts of Log4j 2: what each prints as a record. Run by run.sh. */
public class Logged {
    static void pay(int order) {
        try {
            throw new IllegalArgumentException("amount is missing");
        } catch (IllegalArgumentException cause) {
            throw new IllegalStateException("order " + order + " is not paid", cause);
        }
    }

    public static void main(String[] arguments) {
        for (String file : arguments) {
            System.out.println("# log4j2, " + Path.of(file).getFileName());
            LoggerContext context = Configurator.initialize(null, file);
            var log = context.getLogger("shop.Pay");
            try {
                pay(42);
            } catch (IllegalStateException error) {
                log.error("payment of order {} failed: {}", 42, error.toString());
                log.error("payment of order {} failed", 42, error);
            }
            log.warn("disk is {} full", "91%");
            Configurator.shutdown(context);
        }
    }
}
