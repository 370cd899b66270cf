package org.warpnfs.fs.local;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.local.LocalOptions.Identity;
import org.warpnfs.fs.local.libc.AttributeCalls;
import org.warpnfs.fs.local.libc.DataCalls;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.FileSystemCalls;
import org.warpnfs.fs.local.libc.HandleCalls;
import org.warpnfs.fs.local.libc.IdentityCalls;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Platform;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FsException;

/** Checks the host and the process's privileges, and assembles the parts of a tree. */
final class Startup {
    static final long EXT4_SUPER_MAGIC = 0xef53;

    private static final Logger LOG = LoggerFactory.getLogger(Startup.class);
    /** What journal_task of an ext4 says that has no journal. */
    private static final String NO_JOURNAL = "<none>";

    private static final long XFS_SUPER_MAGIC = 0x5846_5342;
    private static final long TMPFS_MAGIC = 0x0102_1994;
    private static final long BTRFS_SUPER_MAGIC = 0x9123_683eL;
    private static final long F2FS_SUPER_MAGIC = 0xf2f5_2010L;

    /** File systems of this host, whose attributes of an open file are in memory. */
    private static final Set<Long> ANSWER_FROM_MEMORY =
            Set.of(EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC);

    /** File systems whose sendfile(2) takes no lock that is held by whoever changes the file. XFS takes one. */
    private static final Set<Long> SEND_WITHOUT_A_LOCK =
            Set.of(EXT4_SUPER_MAGIC, TMPFS_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC);

    private Startup() {}

    static TreeContext open(Path root, LocalOptions options, Durability.SyncCalls calls) throws IOException {
        Fd rootFd = openRoot(root);
        try {
            return assemble(root, rootFd, options, calls);
        } catch (IOException | RuntimeException e) {
            rootFd.close();
            throw e;
        } catch (FsException | ErrnoException e) {
            rootFd.close();
            throw new IOException("cannot serve " + root + ": " + e.getMessage(), e);
        }
    }

    private static Fd openRoot(Path root) throws IOException {
        if (!Platform.isSupported()) {
            throw new IOException("a directory of the host is served on Linux, on x86-64 and aarch64 only");
        }
        if (!Files.exists(root)) {
            throw new IOException("no such directory: " + root);
        }
        if (!Files.isDirectory(root)) {
            throw new IOException("not a directory: " + root);
        }
        byte[] path = root.toRealPath().toString().getBytes(StandardCharsets.UTF_8);
        try {
            return OpenCalls.open(path, OpenCalls.O_RDONLY | OpenCalls.O_DIRECTORY);
        } catch (ErrnoException e) {
            throw new IOException("not readable: " + root + " (" + Failure.of(e).error() + ")", e);
        }
    }

    private static TreeContext assemble(Path root, Fd rootFd, LocalOptions options, Durability.SyncCalls calls)
            throws IOException, FsException, ErrnoException {
        Statx statx = AttributeReader.statx(rootFd);
        // New files must get the permissions that their creators ask for. To add permissions after creation, the file
        // would have to be found again.
        AttributeCalls.clearUmask();
        long treeId = treeId(rootFd, statx);
        long fsType = FileSystemCalls.statfs(rootFd).type();
        Identity identity = identity(root, rootFd, options.identity());
        AttributeReader attributes = new AttributeReader(
                treeId, statx.fileSystemDevice(), fsType == BTRFS_SUPER_MAGIC, identity == Identity.MAPPED);
        Durability durability = new Durability(calls, rootFd, kind(fsType, statx), options.syncWaits());
        FdCache files = new FdCache(options.maxIdleFiles(), durability, options.descriptors(), System::nanoTime);
        TreeContext tree = null;
        try {
            tree = tree(root, rootFd, options, statx, treeId, identity, attributes, durability, files);
            return tree;
        } finally {
            if (tree == null) {
                files.close();
                durability.close();
            }
        }
    }

    private static TreeContext tree(
            Path root,
            Fd rootFd,
            LocalOptions options,
            Statx statx,
            long treeId,
            Identity identity,
            AttributeReader attributes,
            Durability durability,
            FdCache files)
            throws IOException, FsException, ErrnoException {
        long type = FileSystemCalls.statfs(rootFd).type();
        Authority authority = identity == Identity.CALLER
                ? new KernelAuthority(IdMap.ofUsers().unknown())
                : identity == Identity.MAPPED
                        // Each id is one that clients know.
                        ? new SoftwareAuthority(attributes, -1, -1)
                        : new SoftwareAuthority(
                                attributes,
                                IdMap.ofUsers().unknown(),
                                IdMap.ofGroups().unknown());
        Handles handles = handles(root, treeId, Superblock.of(statx), rootFd, files, options);
        return new TreeContext(
                rootFd,
                statx.mountId(),
                new Ancestry(statx),
                handles,
                authority,
                identity == Identity.MAPPED ? new MappedOwners() : new HostOwners(authority),
                attributes,
                durability,
                files,
                new KeptListings(options.descriptors(), System::nanoTime),
                new FileRanges(options.ranges(), !SEND_WITHOUT_A_LOCK.contains(type), options.descriptors()),
                new CachedReads(ANSWER_FROM_MEMORY.contains(type), type == TMPFS_MAGIC),
                new HostLocks(handles, options.descriptors()),
                new HostLeases(handles, files, options.descriptors()));
    }

    private static Handles handles(
            Path root, long treeId, Superblock superblock, Fd rootFd, FdCache files, LocalOptions options)
            throws IOException, FsException {
        if (!options.forgoKernelHandles() && KernelHandles.work(rootFd)) {
            LOG.info("{}: file handles are the kernel's and outlive a restart", root);
            return new KernelHandles(treeId, superblock, rootFd);
        }
        Path state = options.stateDirectory();
        if (state == null) {
            LOG.warn(
                    "{}: no CAP_DAC_READ_SEARCH, or a file system without handles, and no state directory:"
                            + " after a restart the tree is searched for files that clients hold",
                    root);
        } else {
            LOG.info(
                    "{}: no CAP_DAC_READ_SEARCH, or a file system without handles: file handles are kept in {}",
                    root,
                    state);
        }
        return new TableHandles(treeId, superblock, rootFd, files, state, TableHandles.placesOf(options.trees()));
    }

    /** Chooses how owners are kept, and says it. */
    private static Identity identity(Path root, Fd rootFd, Identity wanted) throws IOException, FsException {
        String reason = "it was told not to";
        if (wanted == Identity.BEST || wanted == Identity.CALLER) {
            switch (IdentityTrial.run()) {
                case IdentityTrial.Outcome.Works works -> {
                    LOG.info(
                            "{}: calls are made in the caller's identity and judged by the kernel{}",
                            root,
                            works.limits());
                    return Identity.CALLER;
                }
                case IdentityTrial.Outcome.Unsafe unsafe ->
                    throw new IOException("cannot serve " + root + ": " + unsafe.reason());
                case IdentityTrial.Outcome.Fails fails -> reason = fails.reason();
            }
        }
        if (wanted == Identity.CALLER) {
            throw new IOException("cannot make calls as their callers (identity=caller), since " + reason
                    + "; start the server as root with CAP_SETUID, CAP_SETGID, CAP_CHOWN and CAP_FOWNER, or leave"
                    + " identity= out");
        }
        if (wanted != Identity.ONE) {
            String lacking = MappedOwners.lacking(rootFd);
            if (lacking == null) {
                LOG.info(
                        "{}: calls are not made in the caller's identity, since {}: owners and permissions are kept in"
                                + " the extended attribute {} of each file, and the server judges them; on the host"
                                + " the files belong to user {}",
                        root,
                        reason,
                        OwnerAttribute.NAME,
                        IdentityCalls.effectiveUser());
                begin(root, rootFd);
                return Identity.MAPPED;
            }
            if (wanted == Identity.MAPPED) {
                throw new IOException("cannot keep owners in extended attributes (identity=mapped), since " + lacking
                        + "; serve a directory on ext4, XFS, btrfs or, since Linux 6.6, tmpfs, or say identity=one");
            }
            LOG.warn(
                    "{}: calls are not made in the caller's identity, since {}, and owners cannot be kept in extended"
                            + " attributes, since {}: all files belong to the server's user {}. For owners, serve a"
                            + " directory on ext4, XFS, btrfs or, since Linux 6.6, tmpfs, or start the server as root"
                            + " with CAP_SETUID, CAP_SETGID, CAP_CHOWN and CAP_FOWNER; or export it with identity=one,"
                            + " which serves it so without this warning",
                    root,
                    reason,
                    lacking,
                    IdentityCalls.effectiveUser());
            return Identity.ONE;
        }
        LOG.info(
                "{}: all new files belong to the server's user {}, the server judges permissions itself, and owners"
                        + " cannot be changed",
                root,
                IdentityCalls.effectiveUser());
        return Identity.ONE;
    }

    private static void begin(Path root, Fd rootFd) {
        try {
            if (MappedOwners.begin(rootFd)) {
                LOG.info(
                        "{}: is empty, and every client may make files in it, as in /tmp; to change that, change its"
                                + " owner and permissions from a client",
                        root);
            }
        } catch (FsException | ErrnoException e) {
            // A tree that cannot be written stays as it is.
            LOG.debug("{}: its root stays as the host shows it", root, e);
        }
    }

    /**
     * Behaviour of a file system. One that is not known to write to a device of its own may report errors late, as file
     * systems of a network or a daemon do.
     */
    private static Durability.Kind kind(long fsType, Statx statx) {
        boolean local = fsType == EXT4_SUPER_MAGIC
                || fsType == XFS_SUPER_MAGIC
                || fsType == TMPFS_MAGIC
                || fsType == BTRFS_SUPER_MAGIC
                || fsType == F2FS_SUPER_MAGIC;
        return new Durability.Kind(isOrdered(fsType, statx), !local);
    }

    /**
     * True if one journal takes all changes in their order, or if the file system keeps nothing over a restart anyway.
     * An ext4 may have no journal: the file for its thread exists then too, but names none. Where /sys does not say,
     * this counts it as having none.
     */
    private static boolean isOrdered(long fsType, Statx statx) {
        if (fsType != EXT4_SUPER_MAGIC) {
            return fsType == XFS_SUPER_MAGIC || fsType == TMPFS_MAGIC;
        }
        long device = statx.fileSystemDevice();
        Path block = Path.of("/sys/dev/block/" + (device >>> 32) + ":" + (device & 0xffff_ffffL));
        try {
            Path name = block.toRealPath().getFileName();
            return name != null
                    && !Files.readString(Path.of("/sys/fs/ext4", name.toString(), "journal_task"))
                            .startsWith(NO_JOURNAL);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * The id of the tree: made of the inode number and the birth of its root, and of the kernel's handle of the root if
     * there is one. No root of another file system has the same.
     */
    private static long treeId(Fd rootFd, Statx statx) {
        Hasher hasher = Hashing.sha256()
                .newHasher()
                .putBytes(ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
                        .putLong(statx.inode())
                        .putLong(statx.birthSeconds())
                        .putInt(statx.birthNanos())
                        .array());
        try {
            hasher.putBytes(HandleCalls.handleOf(rootFd).bytes());
        } catch (ErrnoException e) {
            LOG.debug("no kernel handles here", e);
        }
        return ByteBuffer.wrap(hasher.hash().asBytes()).getLong();
    }

    /** Syncs by system calls. */
    static final class KernelSyncCalls implements Durability.SyncCalls {
        @Override
        public void fsync(Fd fd) throws ErrnoException {
            DataCalls.fsync(fd);
        }

        @Override
        public void fdatasync(Fd fd) throws ErrnoException {
            DataCalls.fdatasync(fd);
        }

        @Override
        public void syncFileSystem(Fd fd) throws ErrnoException {
            DataCalls.syncFileSystem(fd);
        }
    }
}
