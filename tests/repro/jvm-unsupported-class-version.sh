# NEW=/path/to/newer/jdk bash tests/repro/jvm-unsupported-class-version.sh   (compiled by JDK 25, run by JDK 17)
d=$(mktemp -d) && cd "$d" && echo 'public class App { public static void main(String[] a) { System.out.println(1); } }' > App.java
"${NEW:?}"/bin/javac App.java && java -cp . App
mkdir lib && mv App.class lib && echo 'public class Use { App app; void run() { App.main(null); } }' > Use.java && javac -cp lib Use.java
