# bash tests/repro/jvm-no-such-method-error.sh   (JDK 17): compiled against one version of a library, run with another
d=$(mktemp -d) && cd "$d" && mkdir v1 v2 app
cat > Text.java <<'J'
package com.example.lib; public class Text { public static String join(String a, String b) { return a + b; } public String sep; }
J
javac -d v2 Text.java && echo 'package com.example.lib; public class Text { public static String join(CharSequence a) { return "" + a; } }' > Text.java && javac -d v1 Text.java
cat > App.java <<'J'
package com.example.app; import com.example.lib.Text;
public class App { public static void main(String[] a) { try { System.out.println(new Text().sep); } catch (Error e) { e.printStackTrace(); } System.out.println(Text.join("a", "b")); } }
J
javac -cp v2 -d app App.java && java -cp app:v1 com.example.app.App
