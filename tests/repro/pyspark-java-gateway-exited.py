# python tests/repro/pyspark-java-gateway-exited.py   (PySpark 4.3): JAVA_HOME names a folder without a Java
import os

from pyspark.sql import SparkSession

os.environ["JAVA_HOME"] = "/nonexistent"
SparkSession.builder.master("local[1]").getOrCreate()
