package shop;

/** A hot loop throws until the JVM leaves the frames out (OmitStackTraceInFastThrow). */
public class Fast {
    static int length(String text) {
        return text.length();
    }

    public static void main(String[] args) {
        NullPointerException last = null;
        for (int i = 0; i < 200_000; i++) {
            try {
                length(null);
            } catch (NullPointerException e) {
                last = e;
            }
        }
        last.printStackTrace();
    }
}
