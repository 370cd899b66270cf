package org.warpnfs.nfs.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;

/** A file system that lacks capabilities: their methods are the defaults of the SPI. */
public final class LimitedFileSystem {
    private static final Map<Capability, Set<String>> METHODS = Map.ofEntries(
            Map.entry(
                    Capability.WRITE,
                    Set.of(
                            "create",
                            "makeDirectory",
                            "makeSymlink",
                            "makeSpecial",
                            "link",
                            "remove",
                            "removeDirectory",
                            "rename",
                            "setAttributes",
                            "setXattr",
                            "removeXattr",
                            "setAcls")),
            Map.entry(Capability.RENAME, Set.of("rename")),
            Map.entry(Capability.HARD_LINKS, Set.of("link")),
            Map.entry(Capability.SYMLINKS, Set.of("makeSymlink")),
            Map.entry(Capability.SPECIAL_FILES, Set.of("makeSpecial")),
            Map.entry(Capability.HOLES, Set.of("deallocate", "seekData", "seekHole")),
            Map.entry(Capability.ALLOCATE, Set.of("allocate")),
            Map.entry(Capability.COPY, Set.of("copyTo")),
            Map.entry(Capability.XATTRS, Set.of("listXattrs", "getXattr", "setXattr", "removeXattr")),
            Map.entry(Capability.ACLS, Set.of("acls", "setAcls")),
            Map.entry(Capability.SPACE, Set.of("statistics")),
            Map.entry(Capability.LOCKS, Set.of("openLocks")),
            Map.entry(Capability.LEASES, Set.of("lease")),
            Map.entry(Capability.LENT_PAGES, Set.of("lend")));

    private final FileSystem target;
    private volatile FsLimits limits;

    /** Lacks nothing at first. */
    public LimitedFileSystem(FileSystem target) {
        this.target = target;
        this.limits = target.limits();
    }

    /** The file system to be served. */
    public FileSystem fileSystem() {
        return guarded(FileSystem.class, target);
    }

    /** Takes all of these away, and sets the step of timestamps and the preferred length. */
    public void limit(int stepNanos, int preferredBytes, Set<Capability> missing) {
        Set<Capability> left = EnumSet.copyOf(limits.capabilities());
        left.removeAll(missing);
        limits = new FsLimits(
                limits.maxFileSizeBytes(),
                1,
                200,
                stepNanos,
                preferredBytes,
                limits.cloneBlockBytes(),
                limits.changeOrder(),
                left);
    }

    private <T> T guarded(Class<T> type, Object of) {
        return type.cast(Proxy.newProxyInstance(
                FileSystem.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, called, args) -> invoke(proxy, of, called, args)));
    }

    private Object invoke(Object proxy, Object of, Method called, Object[] args) throws Throwable {
        String name = called.getName();
        if (name.equals("limits")) {
            return limits;
        }
        for (Capability capability : Capability.values()) {
            if (!limits.has(capability)
                    && METHODS.getOrDefault(capability, Set.of()).contains(name)) {
                return InvocationHandler.invokeDefault(proxy, called, args);
            }
        }
        if (name.equals("open") && !limits.has(Capability.WRITE) && ((OpenAccess) args[2]).writes()) {
            throw FsException.of(FsError.READ_ONLY);
        }
        try {
            Object result = called.invoke(of, args);
            return result instanceof OpenFile ? guarded(OpenFile.class, result) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
