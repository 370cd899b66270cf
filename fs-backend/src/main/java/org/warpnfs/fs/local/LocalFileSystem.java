package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.FileSystemCalls;
import org.warpnfs.fs.local.libc.IdentityCalls;
import org.warpnfs.fs.local.libc.NameCalls;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.ChangeOrder;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.fs.spi.Lease;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.OwnerLocks;
import org.warpnfs.fs.spi.XattrMode;
import org.warpnfs.schedule.Repeated;

/**
 * A directory of the host as a file system.
 *
 * <p>The tree is what lies below the directory on its own mount. A name where something else is mounted answers ACCESS,
 * and in a listing it has no node. Changes that users of the host make to the tree are visible at once.
 *
 * <p>Where handles are the kernel's, a directory or file that is moved out of the tree on the host stays accessible to
 * clients that hold its handle, as in knfsd with no_subtree_check. But no client gets further up or out from there: a
 * directory that is not below the root has no parent.
 *
 * <p>When a tree is opened, the process's umask is set to 0 and stays so: new files get the permissions that their
 * creators ask for.
 *
 * <h2>Threads</h2>
 *
 * Safe for many. Platform threads only, since the calling thread takes the caller's identity.
 */
public final class LocalFileSystem implements FileSystem {
    private static final Duration SWEEP_PAUSE = Duration.ofSeconds(5);
    /** Number of blocks that the kernel's ext4 can address in a file, by 32-bit block numbers. */
    private static final long EXT4_MAX_BLOCKS = 0xffff_ffffL;

    private final TreeContext tree;
    private final RootPath rootPath;
    private final TreeUse use;
    private final AttributeSetter setter;
    private final Creator creator;
    private final Namespace namespace;
    private final Listing listing;
    private final FileOpener opener;
    private final QuickAnswers quick;
    private final UserXattrs xattrs;
    private final AccessControlLists acls;
    private final FsLimits limits;
    private final ScheduledExecutorService sweeper;
    private final ScheduledFuture<?> sweeping;

    private LocalFileSystem(Path root, TreeContext tree) throws FsException {
        this.tree = tree;
        this.rootPath = new RootPath(root, tree.rootFd());
        this.setter = new AttributeSetter(tree.authority(), tree.owners(), tree.attributes());
        this.creator = new Creator(tree, setter);
        this.namespace = new Namespace(tree);
        this.listing = new Listing(tree);
        this.opener = new FileOpener(tree);
        this.quick = new QuickAnswers(tree);
        this.xattrs = new UserXattrs(tree);
        this.acls = new AccessControlLists(tree);
        this.limits = limits(tree.rootFd(), acls.areSupported());
        this.use = new TreeUse(tree::close);
        this.sweeper = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("warpnfs-fs-sweep").factory());
        this.sweeping = Repeated.afterPauses(sweeper, SWEEP_PAUSE, this::sweep);
    }

    /**
     * Opens a tree with the privileges that the process has. The log says which.
     *
     * @throws IOException if {@code root} does not exist, is not a directory or is not readable, or if the state
     *     directory cannot be used
     */
    public static LocalFileSystem open(Path root, LocalOptions options) throws IOException {
        return open(root, options, new Startup.KernelSyncCalls());
    }

    /** Does the same as {@link #open(Path, LocalOptions)}, with other system calls for syncing. */
    static LocalFileSystem open(Path root, LocalOptions options, Durability.SyncCalls calls) throws IOException {
        TreeContext tree = Startup.open(root, options, calls);
        try {
            return new LocalFileSystem(root, tree);
        } catch (FsException e) {
            tree.close();
            throw new IOException("cannot serve " + root + ": " + e.getMessage(), e);
        }
    }

    /** True if a tree of this process is served as {@link LocalOptions.Identity#CALLER} can be. */
    public static boolean canActAsCallers() throws IOException {
        return IdentityTrial.run() instanceof IdentityTrial.Outcome.Works;
    }

    /** The user to whom files belong where they belong to one. */
    public static Caller serversUser() {
        return new Caller(IdentityCalls.effectiveUser(), IdentityCalls.effectiveGroup(), List.of());
    }

    private static FsLimits limits(Fd rootFd, boolean accessControlLists) throws FsException {
        try {
            FileSystemCalls.Statfs statfs = FileSystemCalls.statfs(rootFd);
            Set<Capability> capabilities = EnumSet.of(
                    Capability.WRITE,
                    Capability.PERSISTENT_HANDLES,
                    Capability.RENAME,
                    Capability.HARD_LINKS,
                    Capability.SYMLINKS,
                    Capability.SPECIAL_FILES,
                    Capability.HOLES,
                    Capability.ALLOCATE,
                    Capability.COPY,
                    Capability.SPACE,
                    Capability.LOCKS,
                    Capability.LEASES);
            if (UserXattrs.areSupported(rootFd)) {
                capabilities.add(Capability.XATTRS);
            }
            if (accessControlLists) {
                capabilities.add(Capability.ACLS);
            }
            long maxLinks = FileSystemCalls.maxLinks(rootFd);
            return new FsLimits(
                    statfs.type() == Startup.EXT4_SUPER_MAGIC ? EXT4_MAX_BLOCKS * statfs.blockBytes() : Long.MAX_VALUE,
                    maxLinks <= 0 || maxLinks > Integer.MAX_VALUE ? Integer.MAX_VALUE : (int) maxLinks,
                    (int) Math.min(statfs.maxNameBytes(), FileName.MAX_LENGTH_BYTES),
                    hasWholeSeconds(statfs, rootFd) ? (int) TimeUnit.SECONDS.toNanos(1) : 1,
                    0,
                    // Linux clones whole blocks of a file system, and the rest at a file's end.
                    (int) Math.min(statfs.blockBytes(), Integer.MAX_VALUE),
                    // statx(2) does not report i_version or any other counter, and the clock may go back.
                    ChangeOrder.NONE,
                    capabilities);
        } catch (ErrnoException e) {
            throw Failure.of(e);
        }
    }

    /** True for ext4 with inodes of 128 bytes: these have no room for birth times and for parts of a second. */
    private static boolean hasWholeSeconds(FileSystemCalls.Statfs statfs, Fd rootFd) throws FsException {
        return statfs.type() == Startup.EXT4_SUPER_MAGIC
                && !AttributeReader.statx(rootFd).hasBirthTime();
    }

    private void sweep() {
        if (use.tryEnter()) {
            try {
                tree.files().sweep(() -> !sweeper.isShutdown());
                tree.listings().sweep();
                tree.durability().sweep();
            } finally {
                use.leave();
            }
        }
    }

    @Override
    public FileHandle root() {
        return tree.handles().root();
    }

    @Override
    public FileIdentity identity(FileHandle file) {
        return tree.handles().identity(file);
    }

    @Override
    public FsLimits limits() {
        return limits;
    }

    @Override
    public FsStatistics statistics() throws FsException {
        return within(() -> {
            FileSystemCalls.Statfs statfs;
            try {
                statfs = FileSystemCalls.statfs(tree.rootFd());
            } catch (ErrnoException e) {
                throw Failure.of(e);
            }
            return new FsStatistics(
                    statfs.blocks() * statfs.blockBytes(),
                    statfs.freeBlocks() * statfs.blockBytes(),
                    statfs.availableBlocks() * statfs.blockBytes(),
                    statfs.files(),
                    statfs.freeFiles(),
                    statfs.freeFiles());
        });
    }

    /**
     * Compares the path of the tree with the directory that was opened. That directory is served wherever the path
     * leads later.
     */
    @Override
    public Optional<String> fault() throws FsException {
        return within(rootPath::fault);
    }

    @Override
    public long writeVerifier() {
        return tree.durability().verifier();
    }

    @Override
    public FileAttributes attributes(FileHandle file) throws FsException {
        return attributes(file, FileAttribute.ALL);
    }

    @Override
    public FileAttributes attributes(FileHandle file, Set<FileAttribute> wanted) throws FsException {
        return within(() -> {
            FileAttributes learned = quick.learned(file, wanted);
            if (learned != null) {
                return learned;
            }
            try (Fd fd = tree.open(file)) {
                return tree.attributes().read(fd, wanted);
            }
        });
    }

    @Override
    public @Nullable FileAttributes tryAttributes(FileHandle file) throws FsException {
        use.enter();
        try {
            return quick.attributes(file);
        } finally {
            use.leave();
        }
    }

    @Override
    public FileAttributes setAttributes(Caller caller, FileHandle file, AttributeChanges changes) throws FsException {
        return within(() -> {
            try (Fd fd = tree.open(file)) {
                if (changes.isEmpty()) {
                    return tree.attributes().read(fd);
                }
                setter.setDurably(caller, fd, file, changes, tree);
                return tree.readAfterChange(fd);
            }
        });
    }

    @Override
    public boolean actsAsCaller() {
        return tree.owners().keepCallers();
    }

    @Override
    public Set<Permission> permissions(Caller caller, FileHandle file, Set<Permission> asked) throws FsException {
        return within(() -> {
            Set<Permission> granted = EnumSet.noneOf(Permission.class);
            try (Fd fd = tree.open(file)) {
                for (Permission permission : asked) {
                    if (tree.authority().has(caller, fd, permission)) {
                        granted.add(permission);
                    }
                }
            }
            return granted;
        });
    }

    @Override
    public FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException {
        return within(() -> namespace.lookup(caller, directory, name));
    }

    @Override
    public FileNode lookupParent(Caller caller, FileHandle directory) throws FsException {
        return within(() -> namespace.lookupParent(caller, directory));
    }

    @Override
    public boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException {
        return within(() -> listing.list(caller, directory, cookie, withNodes ? FileAttribute.ALL : null, visitor));
    }

    @Override
    public boolean list(
            Caller caller, FileHandle directory, long cookie, Set<FileAttribute> wanted, EntryVisitor visitor)
            throws FsException {
        return within(() -> listing.list(caller, directory, cookie, wanted, visitor));
    }

    @Override
    public Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException {
        return within(() -> creator.create(caller, directory, name, mode));
    }

    @Override
    public FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException {
        return within(() -> creator.makeDirectory(caller, directory, name, attributes));
    }

    @Override
    public FileNode makeSymlink(
            Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException {
        return within(() -> creator.makeSymlink(caller, directory, name, target, attributes));
    }

    @Override
    public FileNode makeSpecial(
            Caller caller,
            FileHandle directory,
            FileName name,
            FileType type,
            int deviceMajor,
            int deviceMinor,
            AttributeChanges attributes)
            throws FsException {
        Creator.Special special = new Creator.Special(type, deviceMajor, deviceMinor);
        return within(() -> creator.makeSpecial(caller, directory, name, special, attributes));
    }

    @Override
    public byte[] readSymlink(Caller caller, FileHandle symlink) throws FsException {
        return within(() -> {
            try (Fd fd = tree.open(symlink)) {
                if (AttributeReader.type(tree.attributes().seen(fd)) != FileType.SYMLINK) {
                    throw FsException.of(FsError.INVALID);
                }
                boolean isHosts = AttributeReader.type(AttributeReader.statx(fd)) == FileType.SYMLINK;
                return isHosts ? NameCalls.readSymlink(fd) : MappedOwners.readTarget(fd);
            } catch (ErrnoException e) {
                throw Failure.of(e);
            }
        });
    }

    @Override
    public FileAttributes link(Caller caller, FileHandle file, FileHandle directory, FileName name) throws FsException {
        return within(() -> namespace.link(caller, file, directory, name));
    }

    @Override
    public void remove(Caller caller, FileHandle directory, FileName name) throws FsException {
        within(() -> {
            namespace.remove(caller, directory, name);
            return true;
        });
    }

    @Override
    public void removeDirectory(Caller caller, FileHandle directory, FileName name) throws FsException {
        within(() -> {
            namespace.removeDirectory(caller, directory, name);
            return true;
        });
    }

    @Override
    public void rename(
            Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException {
        within(() -> {
            namespace.rename(caller, fromDirectory, fromName, toDirectory, toName);
            return true;
        });
    }

    @Override
    public OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        return within(() -> openFile(file, opener.open(caller, file, access), caller, access, false));
    }

    @Override
    public @Nullable OpenFile tryOpen(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        use.enter();
        try {
            CachedFd open = quick.open(caller, file, access);
            return open == null ? null : openFile(file, open, caller, access, true);
        } finally {
            use.leave();
        }
    }

    private LocalOpenFile openFile(
            FileHandle file, CachedFd open, Caller caller, OpenAccess access, boolean closesQuickly) {
        return new LocalOpenFile(tree, use, file, open, caller, access, closesQuickly);
    }

    @Override
    public OwnerLocks openLocks(FileHandle file, OpenAccess access) throws FsException {
        return within(() -> tree.locks().open(file, access));
    }

    @Override
    public Optional<Lease> lease(FileHandle file, Lease.Kind kind, Runnable breaking) throws FsException {
        return within(() -> tree.leases().take(file, kind, breaking));
    }

    @Override
    public List<byte[]> listXattrs(Caller caller, FileHandle file) throws FsException {
        return within(() -> xattrs.list(caller, file));
    }

    @Override
    public byte[] getXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        return within(() -> xattrs.get(caller, file, name));
    }

    @Override
    public void setXattr(Caller caller, FileHandle file, byte[] name, byte[] value, XattrMode mode) throws FsException {
        within(() -> {
            xattrs.set(caller, file, name, value, mode);
            return true;
        });
    }

    @Override
    public void removeXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        within(() -> {
            xattrs.remove(caller, file, name);
            return true;
        });
    }

    @Override
    public Acls acls(FileHandle file) throws FsException {
        return within(() -> acls.read(file));
    }

    @Override
    public FileAttributes setAcls(Caller caller, FileHandle file, AclChanges changes) throws FsException {
        return within(() -> acls.change(caller, file, changes));
    }

    /** Waits for operations in progress, then closes. Open files cannot be used afterwards. */
    @Override
    public void close() {
        sweeping.cancel(false);
        sweeper.shutdown();
        use.close();
    }

    private <T> T within(Operation<T> operation) throws FsException {
        use.enter();
        try {
            return operation.run();
        } finally {
            use.leave();
        }
    }

    private interface Operation<T> {
        T run() throws FsException;
    }
}
