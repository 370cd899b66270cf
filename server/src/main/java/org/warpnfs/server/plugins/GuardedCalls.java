package org.warpnfs.server.plugins;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;

/**
 * Keeps the defects of a plug-in to the call that hits them. Whatever a method of its file system or of its open files
 * throws, other than {@link FsException}, is logged with its stack trace and becomes {@link FsError#IO}; so does null
 * where an object is due. A method that has no error to report throws {@link IllegalStateException}, which ends the
 * call like a defect of the server. Only a lack of memory passes as it is.
 *
 * <p>It is a proxy, so that no method of the SPI can be forgotten, and none that is added later. Safe for any thread.
 */
final class GuardedCalls implements InvocationHandler {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedCalls.class);

    private final Object target;
    private final String backend;

    private GuardedCalls(Object target, String backend) {
        this.target = target;
        this.backend = backend;
    }

    static FileSystem of(FileSystem files, String backend) {
        return guarded(FileSystem.class, files, backend);
    }

    private static <T> T guarded(Class<T> type, T target, String backend) {
        return type.cast(Proxy.newProxyInstance(
                GuardedCalls.class.getClassLoader(), new Class<?>[] {type}, new GuardedCalls(target, backend)));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        Throwable defect;
        try {
            Object result = method.invoke(target, bare(arguments));
            if (result instanceof OpenFile file) {
                return guarded(OpenFile.class, file, backend);
            }
            if (result != null
                    || method.getReturnType() == void.class
                    || method.getAnnotatedReturnType().isAnnotationPresent(Nullable.class)) {
                return result;
            }
            defect = new NullPointerException("null is no answer");
        } catch (InvocationTargetException e) {
            defect = e.getCause();
        }
        if (defect instanceof FsException
                || (defect instanceof VirtualMachineError && !(defect instanceof StackOverflowError))) {
            throw defect;
        }
        LOG.error("backend {}: a defect of the plug-in in {}", backend, method.getName(), defect);
        if (List.of(method.getExceptionTypes()).contains(FsException.class)) {
            throw FsException.of(FsError.IO, "a defect of the backend " + backend);
        }
        if (method.getName().equals("close")) {
            return null;
        }
        throw new IllegalStateException("a defect of the backend " + backend, defect);
    }

    /** Replaces guarded files by the plug-in's own, since a backend knows no others. */
    private static Object @Nullable [] bare(Object @Nullable [] arguments) {
        if (arguments != null) {
            for (int i = 0; i < arguments.length; i++) {
                if (arguments[i] instanceof OpenFile file
                        && Proxy.isProxyClass(file.getClass())
                        && Proxy.getInvocationHandler(file) instanceof GuardedCalls guarded) {
                    arguments[i] = guarded.target;
                }
            }
        }
        return arguments;
    }
}
