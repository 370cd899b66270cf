package org.warpnfs.fs.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.warpnfs.fs.contract.Backend;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsException;

/** A fresh directory of the host for the contract suite. */
final class LocalBackend implements Backend {
    static final Path TMPFS = Path.of("/dev/shm");
    static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));

    private final Path base;
    private final LocalOptions options;
    private final boolean actsAsCaller;

    private LocalBackend(Path base, LocalOptions options, boolean actsAsCaller) throws IOException {
        this.base = base;
        this.options = options;
        this.actsAsCaller = actsAsCaller;
        Files.createDirectory(base.resolve("tree"));
        Files.setPosixFilePermissions(base.resolve("tree"), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path newBase(Path parent) throws IOException {
        Path base = Files.createTempDirectory(parent, "warpnfs-contract");
        Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxr-xr-x"));
        return base;
    }

    private static Path parentOr(Path wanted) {
        return Files.isWritable(wanted) ? wanted : Path.of(System.getProperty("java.io.tmpdir"));
    }

    /** A backend with every privilege of root. If the process is not root, it is an unprivileged one, and says so. */
    static Backend privileged(Path parent) throws IOException {
        if (!IS_ROOT) {
            System.err.println(
                    "not root: the privileged local backend cannot be tested, the unprivileged one is instead");
            return unprivileged(parent);
        }
        return new LocalBackend(newBase(parentOr(parent)), LocalOptions.DEFAULTS, true);
    }

    /**
     * A backend with handles in a table and calls made as the caller: root without CAP_DAC_READ_SEARCH, as in a plain
     * container.
     */
    static Backend withoutKernelHandles(Path parent) throws IOException {
        if (!IS_ROOT) {
            return unprivileged(parent);
        }
        Path base = newBase(parentOr(parent));
        return new LocalBackend(
                base, LocalOptions.DEFAULTS.withoutKernelHandles().withStateDirectory(base.resolve("state")), true);
    }

    /** A backend with handles in a table and permissions checked in software. */
    static Backend unprivileged(Path parent) throws IOException {
        Path base = newBase(parentOr(parent));
        return new LocalBackend(
                base, LocalOptions.DEFAULTS.withoutPrivileges().withStateDirectory(base.resolve("state")), false);
    }

    /** A backend with handles in a table, and owners in extended attributes, as a server without privilege has. */
    static Backend mapped(Path parent) throws IOException {
        Path base = newBase(parentOr(parent));
        return new LocalBackend(
                base,
                LocalOptions.DEFAULTS
                        .withoutKernelHandles()
                        .withIdentity(LocalOptions.Identity.MAPPED)
                        .withStateDirectory(base.resolve("state")),
                true);
    }

    /** The same as {@link #unprivileged}, but without a file for the table, which is empty at each start. */
    static Backend forgetful(Path parent) throws IOException {
        return new LocalBackend(newBase(parentOr(parent)), LocalOptions.DEFAULTS.withoutPrivileges(), false);
    }

    @Override
    public FileSystem start() throws IOException {
        FileSystem started = LocalFileSystem.open(hostRoot(), options);
        if (options.identity() == LocalOptions.Identity.MAPPED) {
            // An empty root is open to all, but the suite's is not.
            try {
                started.setAttributes(Caller.ROOT, started.root(), AttributeChanges.ofPermissions(0755));
            } catch (FsException e) {
                throw new IOException(e);
            }
        }
        return started;
    }

    @Override
    public boolean keepsFiles() {
        return true;
    }

    @Override
    public boolean actsAsCaller() {
        return actsAsCaller;
    }

    @Override
    public boolean listsTypes() {
        return options.identity() != LocalOptions.Identity.MAPPED;
    }

    @Override
    public long serverUid() {
        try {
            return ((Integer) Files.getAttribute(base, "unix:uid")).longValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean canGiveAway() {
        return IS_ROOT || actsAsCaller;
    }

    @Override
    public void giveAway(FileSystem fileSystem, FileHandle file, String path, Caller owner) throws Exception {
        if (actsAsCaller) {
            fileSystem.setAttributes(
                    Caller.ROOT, file, new AttributeChanges(null, owner.uid(), owner.gid(), null, null, null));
        } else {
            Path onHost = hostRoot().resolve(path);
            Files.setAttribute(onHost, "unix:uid", (int) owner.uid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(onHost, "unix:gid", (int) owner.gid(), LinkOption.NOFOLLOW_LINKS);
        }
    }

    @Override
    public Path hostRoot() {
        return base.resolve("tree");
    }

    @Override
    public void close() throws IOException {
        TmpfsDirectory.remove(base);
    }
}
