package org.warpnfs.server.plugins;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.OwnerLocks;

/**
 * Keeps the defects of a plug-in to the call that hits them. Whatever a method of its file system, open files, locks,
 * leases or lent pages throws, other than {@link FsException}, is logged with its stack trace and becomes
 * {@link FsError#IO}; so does null where an object is due. A method that has no error to report throws
 * {@link IllegalStateException}, which ends the call like a defect of the server. Only a lack of memory passes as it
 * is. An answer that breaks a {@link Promise} is a defect too. The close of a file system is waited for half a minute.
 *
 * <p>It is a proxy, so that no method of the SPI can be forgotten, and none that is added later. Safe for any thread.
 */
final class GuardedCalls implements InvocationHandler {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedCalls.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    private final Object target;
    private final String backend;

    private final Duration closeLimit;

    private GuardedCalls(Object target, String backend, Duration closeLimit) {
        this.target = target;
        this.backend = backend;
        this.closeLimit = closeLimit;
    }

    static FileSystem of(FileSystem files, String backend) {
        return of(files, backend, CLOSE_LIMIT);
    }

    /** @param closeLimit how long the close of the file system is waited for */
    static FileSystem of(FileSystem files, String backend, Duration closeLimit) {
        return new GuardedCalls(files, backend, closeLimit).as(FileSystem.class);
    }

    private <T> T as(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(GuardedCalls.class.getClassLoader(), new Class<?>[] {type}, this));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        switch (method.getName()) {
            // These are called on event loops, where a plug-in that waits would hold all connections of one.
            case "range" -> {
                return Optional.empty();
            }
            case "tryRead" -> {
                return OpenFile.WOULD_WAIT;
            }
            case "tryAttributes", "tryOpen" -> {
                return null;
            }
            default -> {}
        }
        if (method.getName().equals("close") && target instanceof FileSystem files) {
            close(files);
            return null;
        }
        boolean interrupted = Thread.currentThread().isInterrupted();
        try {
            return guarded(method, arguments);
        } finally {
            if (!interrupted) {
                // An interrupt that the plug-in left behind would close the next file that the server reads or writes.
                var _ = Thread.interrupted();
            }
        }
    }

    private @Nullable Object guarded(Method method, Object @Nullable [] arguments) throws Throwable {
        boolean saysFaults = List.of(method.getExceptionTypes()).contains(FsException.class);
        Throwable defect;
        try {
            Promise promise = Promise.of(method, arguments);
            Object result = method.invoke(target, bare(arguments));
            if (result != null) {
                promise.check(result);
                return guarded(result);
            }
            if (method.getReturnType() == void.class
                    || method.getAnnotatedReturnType().isAnnotationPresent(Nullable.class)) {
                return null;
            }
            defect = new NullPointerException("null is no answer");
        } catch (InvocationTargetException e) {
            defect = e.getTargetException();
        } catch (Promise.BrokenException e) {
            defect = e;
        }
        PluginLoader.passUnlessDefect(defect);
        if (defect instanceof FsException && saysFaults) {
            throw defect;
        }
        LOG.error("backend {}: a defect of the plug-in in {}", backend, method.getName(), defect);
        if (saysFaults) {
            throw FsException.of(FsError.IO, "a defect of the backend " + backend);
        }
        if (method.getName().equals("close")) {
            return null;
        }
        throw new IllegalStateException("a defect of the backend " + backend, defect);
    }

    /** What has calls of its own is guarded too. */
    private Object guarded(Object result) {
        return switch (result) {
            case OpenFile file -> new GuardedCalls(file, backend, closeLimit).as(OpenFile.class);
            case OwnerLocks locks -> new GuardedCalls(locks, backend, closeLimit).as(OwnerLocks.class);
            case Optional<?> maybe
            when maybe.orElse(null) instanceof Lease lease ->
                Optional.of(new GuardedCalls(lease, backend, closeLimit).as(Lease.class));
            case Optional<?> maybe
            when maybe.orElse(null) instanceof LentPages pages ->
                Optional.of(new GuardedCalls(pages, backend, closeLimit).as(LentPages.class));
            default -> result;
        };
    }

    /** A reload and the end of the server wait for this, so a plug-in gets a limited time. */
    private void close(FileSystem files) {
        Thread closer = Thread.ofPlatform().daemon().name("close-" + backend).unstarted(() -> {
            try {
                files.close();
            } catch (Throwable e) {
                LOG.error("backend {}: a defect of the plug-in in close", backend, e);
            }
        });
        closer.start();
        try {
            if (!closer.join(closeLimit)) {
                LOG.error(
                        "backend {}: a file system is still being closed after {} s", backend, closeLimit.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
