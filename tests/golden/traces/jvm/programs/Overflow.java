package shop;

/** Two methods that call each other for ever. */
public class Overflow {
    static int even(int n) {
        return odd(n + 1);
    }

    static int odd(int n) {
        return even(n + 1);
    }

    public static void main(String[] args) {
        even(0);
    }
}
