package org.warpnfs.server.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Handles signals of the operating system. The only API is {@code sun.misc.Signal}, which jdk.unsupported exports. Its
 * use always causes a compiler warning, so it is called by reflection.
 */
final class Signals {
    private Signals() {}

    /**
     * Runs {@code task} on a thread of its own each time the signal arrives, instead of the signal's default action.
     *
     * @param name the signal's name without {@code SIG}
     */
    static void on(String name, Runnable task) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handler}, (self, method, args) -> {
                        if (method.getName().equals("handle")) {
                            task.run();
                            return null;
                        }
                        return switch (method.getName()) {
                            case "equals" -> self == args[0];
                            case "hashCode" -> System.identityHashCode(self);
                            default -> "handler of SIG" + name;
                        };
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
        } catch (ReflectiveOperationException e) {
            Throwable cause = e instanceof InvocationTargetException ? e.getCause() : e;
            throw new IllegalStateException("SIG" + name + " cannot be handled", cause);
        }
    }
}
