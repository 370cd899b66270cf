package org.warpnfs.fs.ceph;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.warpnfs.fs.ceph.libcephfs.Inode;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.ceph.libcephfs.NameCalls;
import org.warpnfs.fs.ceph.libcephfs.UserPerm;
import org.warpnfs.fs.ceph.libcephfs.XattrCalls;
import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.testkit.ceph.CephCluster;

/** A new directory in the file system of a cluster, with a quota. */
final class CephBackend implements Backend {
    /** What each directory may hold. Without a manager the cluster does not know its own size. */
    static final long QUOTA_BYTES = 1L << 36;

    private static final AtomicInteger DIRECTORIES = new AtomicInteger();

    private static Mount top;

    private final CephOptions options;

    private CephBackend(CephOptions options) {
        this.options = options;
    }

    /** Makes a directory in the cluster that the tests share. Skips the test, with the reason, if there can be none. */
    static CephBackend inSharedCluster() throws Exception {
        CephCluster.skipUnlessPossible(Assumptions::abort);
        CephCluster cluster = CephCluster.shared();
        synchronized (CephBackend.class) {
            if (top == null) {
                top = mountTop(cluster);
            }
            return new CephBackend(options(cluster, newDirectory(top, QUOTA_BYTES)));
        }
    }

    static CephOptions options(CephCluster cluster, String directory) {
        return new CephOptions(cluster.configuration(), "admin", CephCluster.FILE_SYSTEM, directory, null);
    }

    /** Mounts the root as the superuser. */
    static Mount mountTop(CephCluster cluster) throws Exception {
        Mount mount = Mount.create("admin");
        mount.readConfiguration(cluster.configuration().toString());
        mount.mount(bytes("/"));
        return mount;
    }

    /** Makes a directory directly below the root, and returns its path. */
    static String newDirectory(Mount top, long quotaBytes) throws Exception {
        String name = "test-" + DIRECTORIES.incrementAndGet();
        NameCalls.Found made =
                NameCalls.makeDirectory(top, InodeCalls.root(top), bytes(name), 0755, UserPerm.SUPERUSER);
        XattrCalls.set(
                top,
                made.inode(),
                bytes("ceph.quota.max_bytes"),
                bytes(Long.toString(quotaBytes)),
                0,
                UserPerm.SUPERUSER);
        return "/" + name;
    }

    /** Makes a snapshot of an exported directory, as an administrator does. */
    static void makeSnapshot(CephOptions options, String name) throws Exception {
        synchronized (CephBackend.class) {
            NameCalls.Found directory = NameCalls.lookup(
                    top, InodeCalls.root(top), bytes(options.directory().substring(1)), UserPerm.SUPERUSER);
            NameCalls.Found all = NameCalls.lookup(top, directory.inode(), bytes(".snap"), UserPerm.SUPERUSER);
            NameCalls.Found _ = NameCalls.makeDirectory(top, all.inode(), bytes(name), 0755, UserPerm.SUPERUSER);
        }
    }

    /** Sets how many bytes an exported directory may hold, as an administrator does. */
    static void setQuota(CephOptions options, long bytes) throws Exception {
        synchronized (CephBackend.class) {
            NameCalls.Found directory = NameCalls.lookup(
                    top, InodeCalls.root(top), bytes(options.directory().substring(1)), UserPerm.SUPERUSER);
            XattrCalls.set(
                    top,
                    directory.inode(),
                    bytes("ceph.quota.max_bytes"),
                    bytes(Long.toString(bytes)),
                    0,
                    UserPerm.SUPERUSER);
        }
    }

    /** Moves a directory out of an exported one to the top of the file system, as another client of Ceph can. */
    static void moveOut(CephOptions options, String name) throws Exception {
        synchronized (CephBackend.class) {
            Inode root = InodeCalls.root(top);
            NameCalls.Found directory =
                    NameCalls.lookup(top, root, bytes(options.directory().substring(1)), UserPerm.SUPERUSER);
            // The library refuses to move out of a quota.
            XattrCalls.set(top, directory.inode(), bytes("ceph.quota.max_bytes"), bytes("0"), 0, UserPerm.SUPERUSER);
            // The library has to know the name.
            NameCalls.Found _ = NameCalls.lookup(top, directory.inode(), bytes(name), UserPerm.SUPERUSER);
            NameCalls.rename(
                    top,
                    directory.inode(),
                    bytes(name),
                    root,
                    bytes("moved-" + options.directory().substring(1)),
                    UserPerm.SUPERUSER);
        }
    }

    /** Makes the cluster listen to no client any more that has mounted it by now. */
    static void blocklistAll(CephCluster cluster) throws Exception {
        synchronized (CephBackend.class) {
            top = null;
        }
        cluster.evictClients();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    CephOptions options() {
        return options;
    }

    @Override
    public FileSystem start() throws Exception {
        CephFileSystem files = CephFileSystem.open(options);
        // The end of a mount takes most of a second, which nothing here waits for.
        return (FileSystem) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {FileSystem.class}, (_, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        files.startClosing();
                        return null;
                    }
                    try {
                        return method.invoke(files, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    @Override
    public void close() {
        // The directory ends with the cluster.
    }
}
