package 商店;

/** Chinese names of packages, classes and methods. */
public class 结算 {
    static class 订单异常 extends RuntimeException {
        订单异常(String message, Throwable cause) {
            super(message, cause);
        }
    }

    static int 价格(String 零件) {
        return Integer.parseInt(零件);
    }

    static int 合计(int 订单号) {
        try {
            return 价格("螺栓");
        } catch (NumberFormatException e) {
            throw new 订单异常("订单 " + 订单号 + " 无法结算", e);
        }
    }

    public static void main(String[] args) {
        合计(42);
    }
}
