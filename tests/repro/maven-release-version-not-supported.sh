# bash tests/repro/maven-release-version-not-supported.sh   (javac of JDK 17, and of the JDK in NEW): language levels that are too new or too old
d=$(mktemp -d) && cd "$d"; echo 'public class A { }' > A.java; echo 'public class B { String f(Object o) { return switch (o) { case Integer i -> "i"; default -> ""; }; } }' > B.java
javac --release 21 A.java; javac -source 21 -target 21 A.java; javac -source 1.6 -target 1.6 A.java; javac -source 1.7 -target 1.7 A.java; javac B.java
[ -n "$NEW" ] && { "$NEW/bin/javac" -source 7 A.java; "$NEW/bin/javac" --release 7 A.java;  "$NEW/bin/javac" -source 8 -target 8 A.java; }
printf 'JAVA_HOME is %s\n' "$JAVA_HOME"; JAVA_HOME=/nowhere mvn -v
