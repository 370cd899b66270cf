package org.warpnfs.fs.local;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.util.concurrent.Striped;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;

/**
 * Handles that need no support by the kernel. They hold inode number and time of birth, and a table says where each
 * file was last seen. To find a file, the server opens that place from the root and compares the file there. If it is
 * another file, the host has moved something, and the tree is searched. Layout, big endian:
 *
 * <pre>
 * offset  length  field
 *   0       1     kind, {@value #KIND}
 *   1       8     tree, so that a handle of one export is not valid in another
 *   9      32     {@link FileKey}: space, inode number, seconds and nanoseconds of birth, generation
 * </pre>
 *
 * <p>The table has an entry of some {@value #BYTES_PER_PLACE} bytes of heap for each file whose handle a client got.
 * The tables of all file systems take up to an eighth of the heap, in equal parts. Beyond its part each new entry
 * replaces an arbitrary other one, or some if the part has become smaller. If a client then asks for such a file, the
 * tree is searched for it. A file that two searches do not find is forgotten.
 *
 * <p>One thread at a time searches, and it holds no lock meanwhile. A call that needs another search is answered "try
 * later".
 *
 * <p>On overlayfs a file of a lower layer gets another time of birth when it is first written: its handle becomes stale
 * then.
 */
final class TableHandles implements Handles {
    private static final byte KIND = 3;
    private static final int LENGTH_BYTES = 1 + Long.BYTES + FileKey.LENGTH_BYTES;
    private static final int BYTES_PER_PLACE = 256;
    private static final int MIN_PLACES = 10_000;
    private static final int MAX_DEPTH = 4096;
    private static final int LOCKS = 1024;
    /** Entries that one new entry replaces at most. */
    private static final int MOST_EVICTED = 8;

    private static final int MAX_REMEMBERED = 16_384;
    private static final Duration SEARCH_AGAIN_AFTER = Duration.ofMinutes(1);

    private final ConcurrentMap<FileKey, Place> places = new ConcurrentHashMap<>();
    /**
     * Held while a file's entry changes in the table and in the log, so that both have the changes in one order, and no
     * handle is given out before its record is in the log.
     */
    private final Striped<Lock> changing = Striped.lock(LOCKS);
    /** Files that one search did not find. A minute later one more search is made. */
    private final Cache<FileKey, Boolean> missedOnce =
            CacheBuilder.newBuilder().maximumSize(MAX_REMEMBERED).build();

    /** Files that a recent search did not find, or that were removed. */
    private final Cache<FileKey, Boolean> missing = CacheBuilder.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterWrite(SEARCH_AGAIN_AFTER)
            .build();

    private final Cache<FileKey, Boolean> removed =
            CacheBuilder.newBuilder().maximumSize(MAX_REMEMBERED).build();

    private final long treeId;
    private final Superblock superblock;
    private final Fd rootFd;
    private final long mountId;
    private final FileKey rootKey;
    private final FdCache openFiles;
    private final @Nullable HandleLog log;
    private final FileKeys keys;
    private final IntSupplier maxPlaces;
    private final ReentrantLock searching = new ReentrantLock();
    private Iterator<FileKey> next = Collections.emptyIterator();
    /** True if a client has the handle of a file that the table does not have. */
    private volatile boolean incomplete;
    /**
     * A lookup by the table holds it for reading. A move, during which the table is briefly wrong, holds it for
     * writing.
     */
    private final ReentrantReadWriteLock moving = new ReentrantReadWriteLock();

    TableHandles(long treeId, Superblock superblock, Fd rootFd, FdCache openFiles, @Nullable Path stateDirectory)
            throws IOException, FsException {
        this(treeId, superblock, rootFd, openFiles, stateDirectory, placesOf(() -> 1));
    }

    /** How many entries a table may have that shares the eighth of the heap with those of other file systems. */
    static IntSupplier placesOf(IntSupplier trees) {
        long fitting = Runtime.getRuntime().maxMemory() / 8 / BYTES_PER_PLACE;
        return () -> Math.clamp(fitting / trees.getAsInt(), MIN_PLACES, Integer.MAX_VALUE / 2);
    }

    /** Makes a table of at most {@code maxPlaces} entries, which may become fewer. */
    TableHandles(
            long treeId,
            Superblock superblock,
            Fd rootFd,
            FdCache openFiles,
            @Nullable Path stateDirectory,
            IntSupplier maxPlaces)
            throws IOException, FsException {
        Statx root = AttributeReader.statx(rootFd);
        this.treeId = treeId;
        this.superblock = superblock;
        this.rootFd = rootFd;
        this.mountId = root.mountId();
        this.keys = new FileKeys(rootFd, root);
        this.rootKey = keys.of(rootFd, root);
        this.maxPlaces = maxPlaces;
        this.openFiles = openFiles;
        this.log = stateDirectory == null ? null : HandleLog.open(stateDirectory, treeId, places);
    }

    @Override
    public FileHandle root() {
        return encode(rootKey);
    }

    @Override
    public FileIdentity identity(FileHandle handle) {
        try {
            ByteBuffer out = ByteBuffer.allocate(FileKey.LENGTH_BYTES);
            keys.overAllTrees(decode(handle)).write(out);
            return new FileIdentity(superblock, FileHandle.of(out.array()));
        } catch (FsException e) {
            return new FileIdentity(superblock, handle);
        }
    }

    private FileHandle encode(FileKey key) {
        ByteBuffer out = ByteBuffer.allocate(LENGTH_BYTES).put(KIND).putLong(treeId);
        key.write(out);
        return FileHandle.of(out.array());
    }

    private FileKey decode(FileHandle handle) throws FsException {
        ByteBuffer in = ByteBuffer.wrap(handle.toBytes());
        if (in.remaining() != LENGTH_BYTES || in.get() != KIND) {
            throw FsException.of(FsError.BAD_HANDLE);
        }
        if (in.getLong() != treeId) {
            throw FsException.of(FsError.STALE);
        }
        return FileKey.read(in);
    }

    @Override
    public FileHandle of(Fd file, Statx statx, FileHandle directory, FileName name) throws FsException {
        FileKey key = keys.of(file, statx);
        remember(key, new Place(decode(directory), name));
        return encode(key);
    }

    /** The table's key is made from an open file. */
    @Override
    public @Nullable FileHandle ofName(Fd directory, byte[] name, long mountId) {
        return null;
    }

    @Override
    public FileHandle ofParent(Fd directory, Statx statx) throws FsException {
        FileKey key = keys.of(directory, statx);
        if (!key.equals(rootKey) && !places.containsKey(key)) {
            // The name of this directory is unknown here. It has to be found once before a client gets the handle.
            search(key);
        }
        return encode(key);
    }

    private void remember(FileKey key, Place place) {
        if (key.equals(rootKey)) {
            return;
        }
        Place before;
        Lock lock = changing.get(key);
        lock.lock();
        try {
            before = places.put(key, place);
            if (!place.equals(before)) {
                if (log != null) {
                    log.append(key, place);
                }
                missing.invalidate(key);
                missedOnce.invalidate(key);
                removed.invalidate(key);
            }
        } finally {
            lock.unlock();
        }
        if (before == null && places.size() > maxPlaces.getAsInt()) {
            evict(key);
        }
    }

    /** Makes room in the table. Forgets entries in the order of the table's iterator, but never the newest. */
    private synchronized void evict(FileKey newest) {
        incomplete = true;
        if (log != null) {
            log.markIncomplete();
        }
        // There are many too many where another file system has come to share the heap.
        for (int left = MOST_EVICTED; left > 0 && places.size() > maxPlaces.getAsInt(); left--) {
            if (!next.hasNext()) {
                next = places.keySet().iterator();
            }
            FileKey key = next.next();
            if (!key.equals(newest)) {
                forget(key);
            }
        }
    }

    private void forget(FileKey key) {
        Lock lock = changing.get(key);
        lock.lock();
        try {
            if (places.remove(key) != null && log != null) {
                log.append(key, null);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the time for which files that were not found are not searched for again. */
    void forgetWhatIsMissing() {
        missing.invalidateAll();
    }

    /** Number of entries in the table. */
    int size() {
        return places.size();
    }

    @Override
    public void aboutToGo(FileHandle file) {
        try {
            FileKeys.awaitTick(decode(file));
        } catch (FsException e) {
            throw new AssertionError("a handle of our own making", e);
        }
    }

    @Override
    public void removed(FileHandle file, FileHandle directory, FileName name, boolean isGone) {
        try {
            FileKey key = decode(file);
            if (isGone) {
                removed.put(key, true);
                forget(key);
            } else {
                // The entry stays. If it has the name that was removed, the next lookup will notice and search for
                // another name.
                missing.invalidate(key);
            }
        } catch (FsException e) {
            throw new AssertionError("a handle of our own making", e);
        }
    }

    @Override
    public Fd open(FileHandle handle) throws FsException {
        FileKey key = decode(handle);
        CachedFd open = openFiles.findGood(handle);
        if (open != null) {
            try {
                return OpenCalls.reopen(open.fd(), OpenCalls.O_PATH);
            } catch (ErrnoException e) {
                throw Failure.of(e);
            } finally {
                openFiles.release(open);
            }
        }
        return find(key);
    }

    private @Nullable Fd follow(FileKey key) throws FsException {
        moving.readLock().lock();
        try {
            return follow(key, 0);
        } finally {
            moving.readLock().unlock();
        }
    }

    @Override
    public void move(Move move) throws FsException {
        moving.writeLock().lock();
        try {
            move.run();
        } finally {
            moving.writeLock().unlock();
        }
    }

    private Fd find(FileKey key) throws FsException {
        Fd found = follow(key);
        if (found == null && mayBeElsewhere(key) && search(key)) {
            found = follow(key);
        }
        if (found == null) {
            throw FsException.of(FsError.STALE);
        }
        return found;
    }

    /** True if the file may exist in another place than the table says. */
    private boolean mayBeElsewhere(FileKey key) {
        if (removed.getIfPresent(key) != null || missing.getIfPresent(key) != null) {
            return false;
        }
        return places.containsKey(key) || incomplete || log == null || !log.wasClean();
    }

    /** Opens the file where it was last seen, or returns null if it is not there. */
    private @Nullable Fd follow(FileKey key, int depth) throws FsException {
        if (key.equals(rootKey)) {
            try {
                return OpenCalls.reopen(rootFd, OpenCalls.O_PATH | OpenCalls.O_DIRECTORY);
            } catch (ErrnoException e) {
                throw Failure.of(e);
            }
        }
        Place place = places.get(key);
        if (place == null || depth == MAX_DEPTH) {
            return null;
        }
        Fd directory = follow(place.directory(), depth + 1);
        if (directory == null) {
            return null;
        }
        try (directory) {
            return openIfSame(directory, place.name(), key);
        }
    }

    private @Nullable Fd openIfSame(Fd directory, FileName name, FileKey key) throws FsException {
        Fd file;
        try {
            file = OpenCalls.openAt(directory, name.toBytes(), OpenCalls.O_PATH | OpenCalls.O_NOFOLLOW);
        } catch (ErrnoException e) {
            return switch (e.errno()) {
                case Errno.ENOENT, Errno.ENOTDIR, Errno.ESTALE -> null;
                default -> throw Failure.of(e);
            };
        }
        boolean same = false;
        try {
            same = keys.of(file, AttributeReader.statx(file)).equals(key);
        } finally {
            if (!same) {
                file.close();
            }
        }
        return same ? file : null;
    }

    /**
     * Searches for the file. One search at a time, since it reads the whole tree; TRY_LATER while another is running.
     */
    private boolean search(FileKey key) throws FsException {
        if (!searching.tryLock()) {
            throw FsException.of(FsError.TRY_LATER, "the tree is being searched for another file");
        }
        try {
            if (missing.getIfPresent(key) != null) {
                return false;
            }
            boolean found = new TreeSearch(keys, key, mountId, this::remember).search(rootFd);
            if (!found) {
                missing.put(key, true);
                if (missedOnce.asMap().put(key, true) != null) {
                    // The file is not searched for again unless a client finds it by name.
                    removed.put(key, true);
                    forget(key);
                }
            }
            return found;
        } finally {
            searching.unlock();
        }
    }

    @Override
    public void close() {
        if (log != null) {
            log.close();
        }
    }
}
