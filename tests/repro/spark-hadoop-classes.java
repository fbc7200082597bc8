// java -cp "…/site-packages/pyspark/jars/*" tests/repro/spark-hadoop-classes.java   (PySpark 4.3, JDK 17 with the --add-opens of programs.toml): schemes without a class, an object larger than the buffer of Kryo
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.KryoSerializer;
import scala.reflect.ClassTag$;

class SparkHadoopClasses {
    interface Call {
        void run() throws Exception;
    }

    public static void main(String[] args) {
        SparkConf conf = new SparkConf(false).set("spark.kryoserializer.buffer", "64k").set("spark.kryoserializer.buffer.max", "1m");
        for (Call call : new Call[] {
            () -> FileSystem.get(URI.create("s3://bucket/key"), new Configuration()),
            () -> FileSystem.get(URI.create("foo://bucket/key"), new Configuration()),
            () -> FileSystem.get(URI.create("s3a://bucket/key"), new Configuration()),
            () -> new KryoSerializer(conf).newInstance().serialize("x".repeat(3_000_000), ClassTag$.MODULE$.apply(String.class))
        }) {
            try {
                call.run();
            } catch (Throwable error) {
                error.printStackTrace();
            }
        }
    }
}
