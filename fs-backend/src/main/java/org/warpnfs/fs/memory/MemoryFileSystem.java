package org.warpnfs.fs.memory;

import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.ChangeOrder;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.Created;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.PosixJudge;
import org.warpnfs.fs.spi.XattrMode;

/**
 * A tree of files in memory.
 *
 * <p>Everything that a caller can make it keep is charged. Pages of contents, which are outside of the heap, are
 * charged to its capacity. Inodes, names, symbolic links, extended attributes and access control lists are charged to a
 * part of the heap. Either answers NO_SPACE when it is used up. A handle of an earlier instance is STALE.
 *
 * <h2>Threads</h2>
 *
 * Safe for many. One lock guards the shape of the tree, and one for each inode its attributes and contents. Readers
 * share both.
 */
public final class MemoryFileSystem implements FileSystem {
    static final int MAX_LINKS = 65_000;
    private static final int ROOT_PERMISSIONS = 0755;

    private static final Set<Capability> CAPABILITIES = EnumSet.of(
            Capability.WRITE,
            Capability.PERSISTENT_HANDLES,
            Capability.RENAME,
            Capability.HARD_LINKS,
            Capability.SYMLINKS,
            Capability.SPECIAL_FILES,
            Capability.HOLES,
            Capability.ALLOCATE,
            Capability.COPY,
            Capability.XATTRS,
            Capability.ACLS,
            Capability.SPACE);
    /** One part in this many of the heap is for everything but contents of all file systems. */
    private static final int HEAP_PARTS = 4;

    /** One part in this many of the capacity may be lent at one time, in addition to it. */
    private static final int LENT_PARTS = 8;

    /**
     * The bounds of a tree.
     *
     * @param capacityBytes the most that contents may take
     * @param lentBytes the most pages of contents that may be lent at one time, in bytes; 0 to lend none
     * @param heapBytes the most that everything but contents may take
     * @param files the most files of any type, including the root
     */
    record Bounds(long capacityBytes, long lentBytes, long heapBytes, long files) {
        Bounds {
            if (files < 1) {
                throw new IllegalArgumentException("capacity of " + files + " files: the root is one");
            }
        }
    }

    private final FsLimits limits;
    private final TreeLock tree = new TreeLock();
    private final Space bytes;
    private final Space lent;
    private final Space heap;
    private final Inodes inodes;
    private final Names names;
    private final Listing listing;
    private final Creation creation;
    private final XattrOperations xattrs;
    private final AclOperations acls;
    private final DirectoryInode root;
    private final long writeVerifier;

    /**
     * Makes an empty tree: a root directory that belongs to the superuser, with permissions 0755.
     *
     * @param capacityBytes the most that contents may take, in pages of 16 KiB outside of the heap; everything else is
     *     bounded by it as well, and by a quarter of the heap. Pages that were lent and then changed take up to an
     *     eighth of it more
     * @param capacityFiles the most files of any type, including the root
     */
    public MemoryFileSystem(long capacityBytes, long capacityFiles) {
        this(capacityBytes, capacityFiles, InstantSource.system());
    }

    /** Does the same as {@link #MemoryFileSystem(long, long)}, with times from {@code clock}. */
    public MemoryFileSystem(long capacityBytes, long capacityFiles, InstantSource clock) {
        this(new Bounds(capacityBytes, capacityBytes / LENT_PARTS, heapBytes(capacityBytes, 1), capacityFiles), clock);
    }

    /**
     * Makes one of several empty trees that share the quarter of the heap.
     *
     * @param lends false if all data are read, so that no pages are lent
     * @param number how many there are
     */
    public static MemoryFileSystem oneOf(int number, long capacityBytes, long capacityFiles, boolean lends) {
        Bounds bounds = new Bounds(
                capacityBytes, lends ? capacityBytes / LENT_PARTS : 0, heapBytes(capacityBytes, number), capacityFiles);
        return new MemoryFileSystem(bounds, InstantSource.system());
    }

    /** The most memory outside of the heap that contents take, with pages that were lent and then changed. */
    public static long mostBytes(long capacityBytes) {
        return capacityBytes + capacityBytes / LENT_PARTS;
    }

    /** The largest capacity of which {@link #mostBytes} is within {@code bytes}. */
    public static long capacityWithin(long bytes) {
        return bytes / (LENT_PARTS + 1) * LENT_PARTS;
    }

    private static long heapBytes(long capacityBytes, int number) {
        return Math.min(capacityBytes, Runtime.getRuntime().maxMemory() / HEAP_PARTS / number);
    }

    MemoryFileSystem(Bounds bounds, InstantSource clock) {
        this(bounds, clock, PageAllocator.Host.OWN);
    }

    MemoryFileSystem(Bounds bounds, InstantSource clock, PageAllocator.Host host) {
        Set<Capability> capabilities = EnumSet.copyOf(CAPABILITIES);
        if (bounds.lentBytes > 0) {
            capabilities.add(Capability.LENT_PAGES);
        }
        this.limits = new FsLimits(
                Long.MAX_VALUE, MAX_LINKS, FileName.MAX_LENGTH_BYTES, 1, 0, ChangeOrder.GROWS, capabilities);
        this.bytes = new Space(bounds.capacityBytes);
        this.lent = new Space(bounds.lentBytes);
        this.heap = new Space(bounds.heapBytes);
        this.xattrs = new XattrOperations(heap);
        this.acls = new AclOperations(heap);
        this.inodes =
                new Inodes(new PageAllocator(bytes, lent, host), heap, new Space(bounds.files), xattrs, acls, clock);
        this.names = new Names(heap, inodes);
        this.listing = new Listing(tree, inodes);
        this.creation = new Creation(tree, inodes, heap);
        this.root = inodes.newRoot(ROOT_PERMISSIONS);
        this.writeVerifier = inodes.instanceId();
    }

    @Override
    public FileHandle root() {
        return root.handle;
    }

    @Override
    public FsLimits limits() {
        return limits;
    }

    @Override
    public FsStatistics statistics() {
        Space files = inodes.files();
        return new FsStatistics(
                bytes.capacity(), bytes.free(), bytes.free(), files.capacity(), files.free(), files.free());
    }

    /** What is left of the part of the heap that this tree may use. */
    long heapFreeBytes() {
        return heap.free();
    }

    /** What may still be lent. */
    long lendableBytes() {
        return lent.free();
    }

    @Override
    public long writeVerifier() {
        return writeVerifier;
    }

    @Override
    public FileAttributes attributes(FileHandle file) throws FsException {
        return inodes.get(file).attributes();
    }

    @Override
    public @Nullable FileAttributes tryAttributes(FileHandle file) throws FsException {
        return inodes.get(file).tryAttributes();
    }

    @Override
    public FileAttributes setAttributes(Caller caller, FileHandle file, AttributeChanges changes) throws FsException {
        return inodes.setAttributes(caller, inodes.get(file), changes);
    }

    @Override
    public Set<Permission> permissions(Caller caller, FileHandle file, Set<Permission> asked) throws FsException {
        return PosixJudge.permissions(caller, inodes.get(file).protection(), asked);
    }

    @Override
    public FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException {
        return tree.reading(() -> {
            DirectoryInode parent = inodes.directory(directory);
            PosixJudge.require(caller, parent.protection(), Permission.EXECUTE);
            return Names.existing(parent, name).node();
        });
    }

    @Override
    public FileNode lookupParent(Caller caller, FileHandle directory) throws FsException {
        return tree.reading(() -> {
            DirectoryInode child = inodes.directory(directory);
            PosixJudge.require(caller, child.protection(), Permission.EXECUTE);
            return child.parent.node();
        });
    }

    @Override
    public boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException {
        return listing.list(caller, directory, cookie, withNodes, visitor);
    }

    @Override
    public Created create(Caller caller, FileHandle directory, FileName name, CreateMode mode) throws FsException {
        return creation.create(caller, directory, name, mode);
    }

    @Override
    public FileNode makeDirectory(Caller caller, FileHandle directory, FileName name, AttributeChanges attributes)
            throws FsException {
        return creation.makeDirectory(caller, directory, name, attributes);
    }

    @Override
    public FileNode makeSymlink(
            Caller caller, FileHandle directory, FileName name, byte[] target, AttributeChanges attributes)
            throws FsException {
        return creation.makeSymlink(caller, directory, name, target, attributes);
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
        return creation.makeSpecial(caller, directory, name, type, deviceMajor, deviceMinor, attributes);
    }

    @Override
    public byte[] readSymlink(Caller caller, FileHandle symlink) throws FsException {
        if (inodes.get(symlink) instanceof SymlinkInode inode) {
            inode.wasRead();
            return inode.target.clone();
        }
        throw FsException.of(FsError.INVALID);
    }

    @Override
    public FileAttributes link(Caller caller, FileHandle file, FileHandle directory, FileName name) throws FsException {
        return tree.writing(() -> {
            Inode inode = inodes.get(file);
            DirectoryInode parent = inodes.directory(directory);
            PosixJudge.require(caller, parent.protection(), Permission.EXECUTE);
            if (parent.find(name) != null) {
                throw FsException.of(FsError.EXISTS);
            }
            PosixJudge.requireModifiable(caller, parent.protection());
            if (inode instanceof DirectoryInode) {
                throw FsException.of(FsError.NOT_PERMITTED);
            }
            if (inode.linkCount == 0) {
                throw FsException.of(FsError.STALE);
            }
            if (inode.linkCount >= MAX_LINKS) {
                throw FsException.of(FsError.TOO_MANY_LINKS);
            }
            heap.take(DirectoryInode.ENTRY_BYTES);
            parent.add(name, inode);
            Inodes.change(parent, 0);
            inodes.changeLinks(inode, 1);
            return inode.attributes();
        });
    }

    @Override
    public void remove(Caller caller, FileHandle directory, FileName name) throws FsException {
        tree.writing(() -> {
            DirectoryInode parent = inodes.directory(directory);
            Inode inode = Names.removable(caller, parent, name);
            if (inode instanceof DirectoryInode) {
                throw FsException.of(FsError.IS_DIRECTORY);
            }
            names.unlink(parent, name, inode);
            return true;
        });
    }

    @Override
    public void removeDirectory(Caller caller, FileHandle directory, FileName name) throws FsException {
        tree.writing(() -> {
            DirectoryInode parent = inodes.directory(directory);
            Inode inode = Names.removable(caller, parent, name);
            if (!(inode instanceof DirectoryInode child)) {
                throw FsException.of(FsError.NOT_DIRECTORY);
            }
            if (!child.isEmpty()) {
                throw FsException.of(FsError.NOT_EMPTY);
            }
            names.unlink(parent, name, child);
            return true;
        });
    }

    @Override
    public void rename(
            Caller caller, FileHandle fromDirectory, FileName fromName, FileHandle toDirectory, FileName toName)
            throws FsException {
        tree.writing(() -> {
            names.rename(caller, inodes.directory(fromDirectory), fromName, inodes.directory(toDirectory), toName);
            return true;
        });
    }

    @Override
    public OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        Inode inode = inodes.get(file);
        RegularInode regular = inodes.requireRegular(inode);
        Lock lock = regular.lock.readLock();
        lock.lock();
        try {
            return openLocked(caller, regular, access);
        } finally {
            lock.unlock();
        }
    }

    /** Does not wait for a change of the file, since an ALLOCATE of much may take long. */
    @Override
    public @Nullable OpenFile tryOpen(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        RegularInode regular = inodes.requireRegular(inodes.get(file));
        Lock lock = regular.lock.readLock();
        if (!lock.tryLock()) {
            return null;
        }
        try {
            return openLocked(caller, regular, access);
        } finally {
            lock.unlock();
        }
    }

    private OpenFile openLocked(Caller caller, RegularInode regular, OpenAccess access) throws FsException {
        if (regular.gone) {
            throw FsException.of(FsError.STALE);
        }
        PosixJudge.requireOpenable(caller, regular.protection(), access);
        regular.openCount.incrementAndGet();
        return new MemoryOpenFile(this, regular, caller, access);
    }

    /** Notes that an open file was closed. */
    void closed(RegularInode inode) {
        inodes.closed(inode);
    }

    @Override
    public List<byte[]> listXattrs(Caller caller, FileHandle file) throws FsException {
        return xattrs.list(inodes.get(file));
    }

    @Override
    public byte[] getXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        return xattrs.get(caller, inodes.get(file), name);
    }

    @Override
    public void setXattr(Caller caller, FileHandle file, byte[] name, byte[] value, XattrMode mode) throws FsException {
        xattrs.set(caller, inodes.get(file), name, value, mode);
    }

    @Override
    public void removeXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        xattrs.remove(caller, inodes.get(file), name);
    }

    @Override
    public Acls acls(FileHandle file) throws FsException {
        return inodes.get(file).ownership().acls();
    }

    @Override
    public FileAttributes setAcls(Caller caller, FileHandle file, AclChanges changes) throws FsException {
        return acls.change(caller, inodes.get(file), changes);
    }

    /** Discards the tree. All handles are stale afterwards. */
    @Override
    public void close() {
        tree.writing(inodes::dropAll);
    }
}
