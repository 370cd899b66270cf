package org.warpnfs.nfs.testing;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.warpnfs.fs.spi.FileSystem;

/** Runs a task in the middle of an operation of a file system: once, right before a method of the SPI is called. */
public final class HookedFileSystem {
    private final FileSystem target;
    private String method = "";
    private Task task = () -> {};

    /** The task. If it throws, the operation throws the same. */
    @FunctionalInterface
    public interface Task {
        void run() throws Exception;
    }

    private HookedFileSystem(FileSystem target) {
        this.target = target;
    }

    /** Makes hooks for {@code target}. */
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

    /** Runs the task before the next call of that method, on the calling thread. */
    public void onceBefore(String name, Task action) {
        method = name;
        task = action;
    }

    /** True if the task has run. */
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
