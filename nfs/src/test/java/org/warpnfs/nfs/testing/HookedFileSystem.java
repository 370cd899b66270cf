package org.warpnfs.nfs.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.warpnfs.fs.spi.FileSystem;

/**
 * Lets something happen in the middle of an operation of a file system: once, right before a method of the SPI is
 * called.
 */
public final class HookedFileSystem {
    private final FileSystem target;
    private String method = "";
    private Task task = () -> {};

    /** What happens; what it throws the operation throws in its place. */
    @FunctionalInterface
    public interface Task {
        void run() throws Exception;
    }

    private HookedFileSystem(FileSystem target) {
        this.target = target;
    }

    /** In front of {@code target}. */
    public static HookedFileSystem of(FileSystem target) {
        return new HookedFileSystem(target);
    }

    /** The file system to be served. */
    public FileSystem fileSystem() {
        return (FileSystem) Proxy.newProxyInstance(
                FileSystem.class.getClassLoader(),
                new Class<?>[] {FileSystem.class},
                (_, called, args) -> invoke(called, args));
    }

    /** Before the next call of that method, on the thread that makes it. */
    public void onceBefore(String name, Task action) {
        method = name;
        task = action;
    }

    /** Whether what was to happen has happened. */
    public boolean hasHappened() {
        return method.isEmpty();
    }

    private Object invoke(Method called, Object[] args) throws Throwable {
        if (called.getName().equals(method)) {
            method = "";
            task.run();
        }
        try {
            return called.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
