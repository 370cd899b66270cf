package org.warpnfs.fs.local;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.local.libc.DataCalls;
import org.warpnfs.fs.local.libc.Errno;
import org.warpnfs.fs.local.libc.ErrnoException;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.Statx;
import org.warpnfs.fs.spi.CachedRange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * An open file of {@link LocalFileSystem}.
 *
 * <h2>Operation</h2>
 *
 * Data move directly between a direct buffer and the kernel. Those of a heap buffer are copied. Changes are made in the
 * identity of the caller that opened the file, so that quotas apply and the kernel clears set-user-id.
 *
 * <h2>Buffers</h2>
 *
 * Holds a use of a cached descriptor until it is closed and the last call has returned.
 */
final class LocalOpenFile implements OpenFile {
    /** Limits the time that one call can take. */
    private static final long MAX_COPY_BYTES = 16 << 20;

    private static final int HEAP_STEP_BYTES = 1 << 20;

    private final TreeContext tree;
    private final TreeUse treeUse;
    private final FileHandle handle;
    private final CachedFd entry;
    private final Caller caller;
    private final OpenAccess access;
    private final boolean closesQuickly;
    private final UseCount users = new UseCount();
    /** What the file was after its last change through this object. */
    private volatile @Nullable Statx afterChange;

    /** @param closesQuickly whether the file is closed on a thread that must not wait */
    LocalOpenFile(
            TreeContext tree,
            TreeUse treeUse,
            FileHandle handle,
            CachedFd entry,
            Caller caller,
            OpenAccess access,
            boolean closesQuickly) {
        this.tree = tree;
        this.treeUse = treeUse;
        this.handle = handle;
        this.entry = entry;
        this.caller = caller;
        this.access = access;
        this.closesQuickly = closesQuickly;
    }

    @Override
    public FileHandle handle() {
        return handle;
    }

    @Override
    public Optional<String> path() {
        try {
            return using(LocalOpenFile::place);
        } catch (FsException e) {
            return Optional.empty();
        }
    }

    /**
     * The file's path. A file that was opened by its handle and never by a name has none in the kernel, and the kernel
     * marks the path of a file whose name was removed.
     */
    private static Optional<String> place(Fd fd) {
        try {
            String place = Files.readSymbolicLink(Path.of(new String(fd.magicPath(), StandardCharsets.US_ASCII)))
                    .toString();
            boolean known = place.length() > 1 && place.startsWith("/") && !place.endsWith(" (deleted)");
            return known ? Optional.of(place) : Optional.empty();
        } catch (IOException | InvalidPathException e) {
            return Optional.empty();
        }
    }

    @Override
    public FileAttributes attributes() throws FsException {
        return attributes(FileAttribute.ALL);
    }

    @Override
    public FileAttributes attributes(Set<FileAttribute> wanted) throws FsException {
        return using(_ -> tree.attributes().read(entry, wanted, closesQuickly));
    }

    @Override
    public FileAttributes attributesAfterWrite(Set<FileAttribute> wanted) throws FsException {
        Statx statx = afterChange;
        return statx == null ? attributes(wanted) : tree.attributes().convert(entry.fd(), statx, wanted);
    }

    @Override
    public int read(ByteBuffer sink, long offset) throws FsException {
        require(access.reads());
        int wanted = (int) Math.min(sink.remaining(), Long.MAX_VALUE - offset);
        if (wanted == 0) {
            return 0;
        }
        return using(fd -> {
            int count = sink.isDirect()
                    ? readFully(fd, MemorySegment.ofBuffer(sink).asSlice(0, wanted), offset)
                    : readHeap(fd, sink, wanted, offset);
            if (sink.isDirect()) {
                sink.position(sink.position() + count);
            }
            return count;
        });
    }

    @Override
    public Optional<CachedRange> range(long offset, int lengthBytes) throws FsException {
        require(access.reads());
        return using(fd -> tree.ranges().range(fd, offset, lengthBytes));
    }

    @Override
    public int tryRead(ByteBuffer sink, long offset) throws FsException {
        require(access.reads());
        int wanted = (int) Math.min(sink.remaining(), Long.MAX_VALUE - offset);
        if (!sink.isDirect() || !tree.cachedReads().areUsable()) {
            return WOULD_WAIT;
        }
        if (wanted == 0) {
            return 0;
        }
        return using(fd -> {
            int count = tree.cachedReads().read(fd, MemorySegment.ofBuffer(sink).asSlice(0, wanted), offset);
            if (count > 0) {
                sink.position(sink.position() + count);
            }
            return count;
        });
    }

    @Override
    public long sizeBytes() throws FsException {
        return using(fd -> AttributeReader.statx(fd).sizeBytes());
    }

    private static int readFully(Fd fd, MemorySegment sink, long offset) throws ErrnoException {
        return DataCalls.readFully(LocalOpenFile::readOnce, fd, sink, offset);
    }

    private static long readOnce(Fd fd, MemorySegment sink, long offset) throws ErrnoException {
        try {
            return DataCalls.pread(fd, sink, offset);
        } catch (ErrnoException e) {
            if (e.errno() == Errno.EINVAL || e.errno() == Errno.EOVERFLOW) {
                // The offset is beyond what any file of this file system can have, so there are no data.
                return 0;
            }
            throw e;
        }
    }

    private static int readHeap(Fd fd, ByteBuffer sink, int wanted, long offset) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment step = arena.allocate(Math.min(wanted, HEAP_STEP_BYTES));
            int done = 0;
            while (done < wanted) {
                MemorySegment part = step.asSlice(0, Math.min(step.byteSize(), wanted - done));
                int count = readFully(fd, part, offset + done);
                sink.put(part.asByteBuffer().limit(count));
                done += count;
                if (count < part.byteSize()) {
                    break;
                }
            }
            return done;
        }
    }

    @Override
    public Stability write(ByteBuffer source, long offset, Stability stability) throws FsException {
        require(access.writes());
        if (source.remaining() > Long.MAX_VALUE - offset) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
        return using(fd -> {
            long failures = entry.gate().failures();
            if (source.hasRemaining()) {
                change(fd, () -> {
                    if (source.isDirect()) {
                        writeFully(fd, MemorySegment.ofBuffer(source), offset);
                        source.position(source.limit());
                    } else {
                        writeHeap(fd, source, offset);
                    }
                });
            }
            switch (stability) {
                case UNSTABLE -> {}
                case DATA_SYNC -> syncSince(failures, false);
                case FILE_SYNC -> syncSince(failures, true);
            }
            return stability;
        });
    }

    private static void writeFully(Fd fd, MemorySegment source, long offset) throws ErrnoException {
        long done = 0;
        while (done < source.byteSize()) {
            try {
                done += DataCalls.pwrite(fd, source.asSlice(done), offset + done);
            } catch (ErrnoException e) {
                throw done > 0 ? afterPart(e) : e;
            }
        }
    }

    /** The error after part of the data was written: "try again later" would no longer be true. */
    private static ErrnoException afterPart(ErrnoException e) {
        return Failure.of(e).error() == FsError.TRY_LATER ? ErrnoException.of(Errno.EIO) : e;
    }

    private static void writeHeap(Fd fd, ByteBuffer source, long offset) throws ErrnoException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment step = arena.allocate(Math.min(source.remaining(), HEAP_STEP_BYTES));
            long at = offset;
            while (source.hasRemaining()) {
                int length = (int) Math.min(step.byteSize(), source.remaining());
                step.asByteBuffer().put(source.slice(source.position(), length));
                try {
                    writeFully(fd, step.asSlice(0, length), at);
                } catch (ErrnoException e) {
                    throw at > offset ? afterPart(e) : e;
                }
                source.position(source.position() + length);
                at += length;
            }
        }
    }

    @Override
    public void sync() throws FsException {
        using(fd -> {
            tree.files().sync(entry, true);
            return true;
        });
    }

    @Override
    public void allocate(long offset, long lengthBytes) throws FsException {
        require(access.writes());
        requirePositive(lengthBytes);
        using(fd -> {
            long failures = entry.gate().failures();
            change(fd, () -> DataCalls.allocate(fd, 0, offset, lengthBytes));
            syncSince(failures, true);
            return true;
        });
    }

    @Override
    public void deallocate(long offset, long lengthBytes) throws FsException {
        require(access.writes());
        requirePositive(lengthBytes);
        using(fd -> {
            long failures = entry.gate().failures();
            long left = AttributeReader.statx(fd).sizeBytes() - offset;
            if (left > 0) {
                int mode = DataCalls.FALLOC_FL_PUNCH_HOLE | DataCalls.FALLOC_FL_KEEP_SIZE;
                change(fd, () -> DataCalls.allocate(fd, mode, offset, Math.min(left, lengthBytes)));
                syncSince(failures, true);
            }
            return true;
        });
    }

    private static void requirePositive(long lengthBytes) throws FsException {
        if (lengthBytes <= 0) {
            throw FsException.of(FsError.INVALID);
        }
    }

    private void change(Fd fd, Authority.ResultlessCalls calls) throws FsException, ErrnoException {
        tree.owners().beforeWrite(caller, fd, entry.owner());
        try {
            tree.authority().runAsWriter(caller, entry.mode(), calls);
        } catch (ErrnoException e) {
            tree.durability().writeFailed(entry.gate(), e.errno());
            throw e;
        } finally {
            // A write that failed half way has changed the file too.
            entry.gate().changed();
            noteChange();
        }
    }

    private void noteChange() throws FsException {
        try {
            long look = entry.look();
            Statx statx = tree.attributes().changed(entry);
            entry.seen(look, statx);
            afterChange = statx;
        } catch (FsException e) {
            throw ChangeSync.afterChange(e);
        }
    }

    /**
     * Makes a change stable, or fails if the file has had a failure since the change began. NFS has no COMMIT for a
     * change that is answered as stable.
     *
     * @param failures the gate's count of failures before the change
     */
    private void syncSince(long failures, boolean withAttributes) throws FsException {
        Durability.syncSince(failures, entry.gate(), entry.fd(), SyncGate.Descriptor.TRACKED, withAttributes);
    }

    @Override
    public long seekData(long offset) throws FsException {
        return using(fd -> DataCalls.seek(fd, offset, DataCalls.SEEK_DATA));
    }

    @Override
    public long seekHole(long offset) throws FsException {
        return using(fd -> DataCalls.seek(fd, offset, DataCalls.SEEK_HOLE));
    }

    @Override
    public long copyTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException {
        LocalOpenFile to = sameTree(target);
        long step = Math.min(lengthBytes, MAX_COPY_BYTES);
        if (step > Long.MAX_VALUE - targetOffset) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
        return using(from -> to.using(into -> {
            long there = Math.min(lengthBytes, AttributeReader.statx(from).sizeBytes() - offset);
            if (there <= 0) {
                return 0L;
            }
            // As copy_file_range(2) does: the range ends where the file does.
            if (to.handle.equals(handle) && Math.abs(offset - targetOffset) < there) {
                throw FsException.of(FsError.INVALID);
            }
            long[] copied = new long[1];
            to.change(into, () -> copied[0] = copy(from, offset, into, targetOffset, Math.min(there, step)));
            return copied[0];
        }));
    }

    private static long copy(Fd from, long offset, Fd to, long targetOffset, long lengthBytes) throws ErrnoException {
        try {
            return DataCalls.copyRange(from, offset, to, targetOffset, lengthBytes);
        } catch (ErrnoException e) {
            switch (e.errno()) {
                case Errno.EXDEV, Errno.EINVAL, Errno.EOPNOTSUPP, Errno.ENOSYS -> {}
                default -> throw e;
            }
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment step = arena.allocate(Math.min(lengthBytes, HEAP_STEP_BYTES));
            int count = readFully(from, step, offset);
            writeFully(to, step.asSlice(0, count), targetOffset);
            return count;
        }
    }

    @Override
    public void cloneTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException {
        LocalOpenFile to = sameTree(target);
        using(from -> to.using(into -> {
            if (entry.gate().isDirty()) {
                // If the medium loses unsynced data of the source, the stable clone would lack them.
                tree.files().sync(entry, false);
            }
            long failures = to.entry.gate().failures();
            try {
                to.change(into, () -> DataCalls.cloneRange(from, offset, into, targetOffset, lengthBytes));
                to.syncSince(failures, true);
            } catch (ErrnoException e) {
                throw switch (e.errno()) {
                    case Errno.EXDEV, Errno.EOPNOTSUPP, Errno.ENOTTY, Errno.ENOSYS ->
                        FsException.of(FsError.NOT_SUPPORTED);
                    default -> Failure.of(e);
                };
            }
            return true;
        }));
    }

    private LocalOpenFile sameTree(OpenFile target) throws FsException {
        if (!(target instanceof LocalOpenFile to) || to.treeUse != treeUse) {
            throw FsException.of(FsError.CROSS_DEVICE);
        }
        require(access.reads());
        to.require(to.access.writes());
        return to;
    }

    private void require(boolean granted) throws FsException {
        if (!granted) {
            throw FsException.of(FsError.ACCESS);
        }
    }

    /** Runs {@code use} with the descriptor, which stays open meanwhile even if the file is closed. */
    private <T> T using(Use<T> use) throws FsException {
        treeUse.enter();
        try {
            if (!users.enter()) {
                throw new IllegalStateException("file " + handle + " is closed");
            }
            try {
                return use.with(entry.fd());
            } catch (ErrnoException e) {
                throw Failure.of(e);
            } finally {
                if (users.leave()) {
                    giveBack();
                }
            }
        } finally {
            treeUse.leave();
        }
    }

    @Override
    public void close() {
        if (!treeUse.tryEnter()) {
            return;
        }
        try {
            if (users.close()) {
                giveBack();
            }
        } finally {
            treeUse.leave();
        }
    }

    private void giveBack() {
        if (closesQuickly) {
            tree.files().releaseQuickly(entry);
        } else {
            tree.files().release(entry);
        }
    }

    private interface Use<T> {
        T with(Fd fd) throws FsException, ErrnoException;
    }
}
