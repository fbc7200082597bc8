package shop;

/** Two exceptions that are each other's cause. */
public class Circular {
    public static void main(String[] args) throws Exception {
        Exception first = new Exception("first");
        Exception second = new Exception("second", first);
        first.initCause(second);
        throw first;
    }
}
