package shop;

import java.lang.reflect.Method;
import java.util.Map;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.implementation.MethodDelegation;
import net.bytebuddy.implementation.bind.annotation.RuntimeType;
import net.bytebuddy.implementation.bind.annotation.SuperCall;
import net.bytebuddy.matcher.ElementMatchers;
import net.sf.cglib.proxy.Enhancer;
import net.sf.cglib.proxy.MethodInterceptor;
import net.sf.cglib.proxy.MethodProxy;

/** Subclasses made while the program runs: CGLIB with its FastClass, Byte Buddy with its auxiliary types. */
public class Advised {
    public static class Prices {
        public int price(String part) {
            return Map.of("bolt", 3).get(part);
        }
    }

    public static class Timed {
        @RuntimeType
        public static Object time(@SuperCall java.util.concurrent.Callable<?> call) throws Exception {
            return call.call();
        }
    }

    public static void main(String[] args) throws Exception {
        Prices enhanced = (Prices) Enhancer.create(Prices.class, new MethodInterceptor() {
            public Object intercept(Object self, Method method, Object[] values, MethodProxy proxy) throws Throwable {
                return proxy.invokeSuper(self, values);
            }
        });
        Prices buddy = new ByteBuddy().subclass(Prices.class).method(ElementMatchers.named("price"))
                .intercept(MethodDelegation.to(Timed.class)).make().load(Advised.class.getClassLoader()).getLoaded()
                .getDeclaredConstructor().newInstance();
        for (Prices prices : new Prices[] {enhanced, buddy}) {
            try {
                prices.price("nut");
            } catch (NullPointerException e) {
                e.printStackTrace();
            }
        }
    }
}
