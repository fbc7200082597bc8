# python tests/repro/spark-failed-to-find-data-source.py   (PySpark 4.3, JDK 17): no Kafka connector, no S3 file system, no JDBC driver

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
for read in (
    lambda: spark.readStream.format("kafka").option("subscribe", "orders").load(),
    lambda: spark.read.format("com.databricks.spark.xml").load("/tmp/x.xml"),
    lambda: spark.read.text("s3a://bucket/key"),
    lambda: (
        spark.read.format("jdbc")
        .options(url="jdbc:mysql://db/shop", dbtable="t", driver="com.mysql.cj.jdbc.Driver")
        .load()
    ),
    lambda: spark.read.format("jdbc").options(url="jdbc:mysql://db/shop", dbtable="t").load(),
):
    try:
        read()
    except (PySparkException, Py4JJavaError) as error:
        print("-----", str(error)[:1500])
