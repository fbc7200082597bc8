// java tests/repro/jvm-unsatisfied-link.java   (JDK 17): a native method without its library, a library that is not there, and one that is no library
import java.nio.file.Files;
import java.nio.file.Path;

class Native {
    static native int answer();

    public static void main(String[] args) throws Exception {
        Path text = Files.writeString(Files.createTempFile("libtext", ".so"), "no library");
        for (Runnable call : new Runnable[] {
            Native::answer, () -> System.loadLibrary("answer"), () -> System.load("/opt/lib/libanswer.so"), () -> System.load(text.toString())
        }) {
            try {
                call.run();
            } catch (Throwable error) {
                error.printStackTrace();
            }
        }
    }
}
