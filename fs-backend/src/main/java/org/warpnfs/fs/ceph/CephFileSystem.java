package org.warpnfs.fs.ceph;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.ceph.libcephfs.CephStatvfs;
import org.warpnfs.fs.ceph.libcephfs.CephStatx;
import org.warpnfs.fs.ceph.libcephfs.InodeCalls;
import org.warpnfs.fs.ceph.libcephfs.Library;
import org.warpnfs.fs.ceph.libcephfs.Mount;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.BackendException;
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
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.PosixRules;
import org.warpnfs.fs.spi.XattrMode;

/**
 * A directory of a file system of Ceph.
 *
 * <h2>Operation</h2>
 *
 * Each call is made with the identity of its caller, so that the library and the cluster judge it; the rules of POSIX
 * that they do not know are checked before. A change of the tree has reached the journal of the metadata servers, and
 * so the OSDs, when its call returns. Files below {@code .snap} can be read alone.
 *
 * <h2>Errors</h2>
 *
 * A call that has begun waits as long as the cluster does not answer. TRY_LATER means that many calls wait, that the
 * metadata server does not answer ({@link CallWaits}), or that the cluster has ended this gateway's mount and that it
 * is mounted again. Holes are not found and space is not reserved, because this version of the library does neither.
 */
public final class CephFileSystem implements FileSystem {
    private static final Logger LOG = LoggerFactory.getLogger(CephFileSystem.class);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);
    private static final long ROOM_FOR_FILES = 1L << 48;

    private static final FsLimits LIMITS = FsLimits.of(
            ChangeOrder.GROWS,
            Capability.WRITE,
            Capability.PERSISTENT_HANDLES,
            Capability.RENAME,
            Capability.HARD_LINKS,
            Capability.SYMLINKS,
            Capability.SPECIAL_FILES,
            Capability.XATTRS,
            Capability.ACLS,
            Capability.SPACE,
            Capability.LOCKS,
            Capability.LEASES);

    private final Mounts mounts;
    private final OpenFiles openFiles;
    private final Nodes nodes;
    private final CephLocks locks;
    private final CephLeases leases;
    private final FileHandle root;
    private final Medium medium;

    private CephFileSystem(Mounts mounts, OpenFiles openFiles, Medium medium, Handles.Named root) {
        this.mounts = mounts;
        this.openFiles = openFiles;
        this.nodes = new Nodes(mounts, openFiles);
        this.locks = new CephLocks(nodes, mounts);
        this.leases = new CephLeases(nodes, mounts, openFiles);
        mounts.afterEnd(this::leaveEnded);
        mounts.beforeUse(locks::retakeAll);
        this.medium = medium;
        this.root = Handles.of(root.fileSystem(), root.inode(), root.snapshot());
    }

    private void leaveEnded(Mounted over) {
        leases.leaveEnded(over);
        locks.leaveEnded(over);
        openFiles.leaveEnded(over);
    }

    /** One file system of one cluster, for the identity of files. */
    private record Medium(String cluster, int fileSystem) {}

    /**
     * Mounts a directory.
     *
     * @throws BackendException in one line, what is missing: the library, the cluster, the directory or permission
     */
    public static CephFileSystem open(CephOptions options) throws BackendException {
        return open(options, Patience.ORDINARY);
    }

    static CephFileSystem open(CephOptions options, Patience patience) throws BackendException {
        Optional<String> missing = Library.missing();
        if (missing.isPresent()) {
            throw BackendException.ofSource(missing.get());
        }
        Mounts mounts = new Mounts(options, patience);
        mounts.open();
        OpenFiles openFiles = new OpenFiles(mounts);
        try {
            Mounted mounted = mounts.enter();
            try {
                Medium medium = new Medium(options.configuration().toString(), mounted.fileSystem());
                return new CephFileSystem(mounts, openFiles, medium, mounted.rootName());
            } finally {
                mounted.leave();
            }
        } catch (FsException e) {
            mounts.close();
            throw BackendException.ofSource("the cluster has ended the mount at once", e);
        }
    }

    /** The version of the library; empty if it is not there. */
    public static Optional<String> libraryVersion() {
        return Library.missing().isPresent() ? Optional.empty() : Optional.of(Mount.libraryVersion());
    }

    @Override
    public FileHandle root() {
        return root;
    }

    @Override
    public FileIdentity identity(FileHandle file) {
        return new FileIdentity(medium, file);
    }

    @Override
    public FsLimits limits() {
        return LIMITS;
    }

    @Override
    public FsStatistics statistics() throws FsException {
        return nodes.inMount(mounted -> {
            CephStatvfs space = mounted.mount().statistics(mounted.root());
            // The number of files has no limit, and the library knows no number of free ones.
            return new FsStatistics(
                    space.totalBytes(),
                    space.freeBytes(),
                    space.availableBytes(),
                    space.files() + ROOM_FOR_FILES,
                    ROOM_FOR_FILES,
                    ROOM_FOR_FILES);
        });
    }

    @Override
    public Optional<String> fault() {
        return mounts.fault();
    }

    @Override
    public long writeVerifier() {
        return mounts.verifier();
    }

    @Override
    public FileAttributes attributes(FileHandle file) throws FsException {
        return nodes.attributes(file, CephStatx.EVERYTHING);
    }

    @Override
    public FileAttributes attributes(FileHandle file, Set<FileAttribute> wanted) throws FsException {
        return nodes.attributes(file, Attributes.mask(wanted));
    }

    @Override
    public FileAttributes setAttributes(Caller caller, FileHandle file, AttributeChanges changes) throws FsException {
        return nodes.with(file, node -> AttributeSetter.set(caller, node, changes));
    }

    @Override
    public Set<Permission> permissions(Caller caller, FileHandle file, Set<Permission> asked) throws FsException {
        return nodes.with(file, node -> {
            Set<Permission> granted = PosixJudge.permissions(caller, node.protection(caller), asked);
            if (Handles.parse(file).isSnapshot()) {
                granted.remove(Permission.WRITE);
            }
            return granted;
        });
    }

    @Override
    public FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException {
        return nodes.withDirectory(directory, node -> Names.lookup(caller, node, name.toBytes()));
    }

    @Override
    public FileNode lookupParent(Caller caller, FileHandle directory) throws FsException {
        return nodes.withDirectory(directory, node -> Parents.of(caller, node));
    }

    @Override
    public boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException {
        return nodes.withDirectory(
                directory, node -> Listing.list(caller, node, cookie, withNodes ? FileAttribute.ALL : null, visitor));
    }

    @Override
    public boolean list(
            Caller caller, FileHandle directory, long cookie, Set<FileAttribute> wanted, EntryVisitor visitor)
            throws FsException {
        return nodes.withDirectory(directory, node -> Listing.list(caller, node, cookie, wanted, visitor));
    }

    @Override
    public Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException {
        return nodes.withDirectory(directory, node -> Creator.create(caller, node, name.toBytes(), mode));
    }

    @Override
    public FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException {
        return nodes.withDirectory(directory, node -> Creator.makeDirectory(caller, node, name.toBytes(), attributes));
    }

    @Override
    public FileNode makeSymlink(
            Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException {
        PosixRules.requireSymlinkTarget(target);
        return nodes.withDirectory(
                directory, node -> Creator.makeSymlink(caller, node, name.toBytes(), target, attributes));
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
        return nodes.withDirectory(
                directory, node -> Creator.makeSpecial(caller, node, name.toBytes(), special, attributes));
    }

    @Override
    public byte[] readSymlink(Caller caller, FileHandle symlink) throws FsException {
        return nodes.with(symlink, node -> {
            if (node.type() != FileType.SYMLINK) {
                throw FsException.of(FsError.INVALID);
            }
            return InodeCalls.readLink(node.mount(), node.inode());
        });
    }

    @Override
    public FileAttributes link(Caller caller, FileHandle file, FileHandle directory, FileName name) throws FsException {
        return nodes.with(file, node -> {
            try (Node to = nodes.find(node.mounted(), directory)) {
                return Names.link(caller, node, to, name.toBytes());
            }
        });
    }

    @Override
    public void remove(Caller caller, FileHandle directory, FileName name) throws FsException {
        remove(caller, directory, name, false);
    }

    @Override
    public void removeDirectory(Caller caller, FileHandle directory, FileName name) throws FsException {
        remove(caller, directory, name, true);
    }

    private void remove(Caller caller, FileHandle directory, FileName name, boolean ofDirectory) throws FsException {
        nodes.withDirectory(directory, node -> {
            Names.remove(caller, node, name.toBytes(), ofDirectory);
            return true;
        });
    }

    @Override
    public void rename(
            Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException {
        nodes.with(fromDirectory, from -> {
            try (Node to = nodes.find(from.mounted(), toDirectory)) {
                Names.rename(caller, from, fromName.toBytes(), to, toName.toBytes());
                return true;
            }
        });
    }

    @Override
    public OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        nodes.with(file, node -> {
            PosixRules.requireRegular(node.type());
            PosixJudge.requireOpenable(caller, node.protection(caller), access);
            if (access.writes()) {
                node.requireWritable();
            }
            return true;
        });
        return new CephOpenFile(nodes, mounts, openFiles, file, caller, access);
    }

    @Override
    public OwnerLocks openLocks(FileHandle file, OpenAccess access) throws FsException {
        return locks.open(file, access);
    }

    @Override
    public Optional<Lease> lease(FileHandle file, Lease.Kind kind, Runnable breaking) throws FsException {
        return leases.take(file, kind, breaking);
    }

    @Override
    public List<byte[]> listXattrs(Caller caller, FileHandle file) throws FsException {
        return nodes.with(file, UserXattrs::list);
    }

    @Override
    public byte[] getXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        return nodes.with(file, node -> UserXattrs.get(caller, node, name));
    }

    @Override
    public void setXattr(Caller caller, FileHandle file, byte[] name, byte[] value, XattrMode mode) throws FsException {
        nodes.with(file, node -> {
            UserXattrs.set(caller, node, name, value, mode);
            return true;
        });
    }

    @Override
    public void removeXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        nodes.with(file, node -> {
            UserXattrs.remove(caller, node, name);
            return true;
        });
    }

    @Override
    public Acls acls(FileHandle file) throws FsException {
        return nodes.with(file, AclXattrs::read);
    }

    @Override
    public FileAttributes setAcls(Caller caller, FileHandle file, AclChanges changes) throws FsException {
        return nodes.with(file, node -> AclXattrs.change(caller, node, changes));
    }

    /** Waits until what was written is at the cluster, but not for ever. */
    @Override
    public void close() {
        Thread closing = Thread.ofPlatform().daemon().name("ceph-close").start(() -> {
            closeFiles();
            mounts.close();
        });
        try {
            if (!closing.join(CLOSE_LIMIT)) {
                LOG.warn("Ceph does not answer: what was not committed may be lost");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeFiles() {
        leases.closeAll();
        locks.closeAll();
        openFiles.closeAll();
    }

    /** Does the same as {@link #close}, without waiting until the mount has ended. */
    void startClosing() {
        closeFiles();
        boolean _ = mounts.startClosing();
    }
}
