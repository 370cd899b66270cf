package org.warpnfs.fs.memory;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** An open file of {@link MemoryFileSystem}. It holds the inode until closed. */
final class MemoryOpenFile implements OpenFile {
    private static final int COPY_STEP_BYTES = 1 << 20;

    private final MemoryFileSystem fileSystem;
    private final RegularInode inode;
    private final Caller caller;
    private final OpenAccess access;
    private final AtomicBoolean closed = new AtomicBoolean();

    MemoryOpenFile(MemoryFileSystem fileSystem, RegularInode inode, Caller caller, OpenAccess access) {
        this.fileSystem = fileSystem;
        this.inode = inode;
        this.caller = caller;
        this.access = access;
    }

    @Override
    public FileHandle handle() {
        return inode.handle;
    }

    @Override
    public FileAttributes attributes() {
        return inode.attributes();
    }

    @Override
    public int read(ByteBuffer sink, long offset) throws FsException {
        requireRead();
        Lock lock = inode.lock.readLock();
        lock.lock();
        try {
            int count = inode.contents.read(sink, offset);
            inode.wasRead();
            return count;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int tryRead(ByteBuffer sink, long offset) throws FsException {
        requireRead();
        Lock lock = inode.lock.readLock();
        if (!lock.tryLock()) {
            return WOULD_WAIT;
        }
        try {
            int count = inode.contents.read(sink, offset);
            inode.wasRead();
            return count;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<LentPages> lend(long offset, int lengthBytes) throws FsException {
        requireRead();
        Lock lock = inode.lock.readLock();
        lock.lock();
        try {
            inode.wasRead();
            return inode.contents.lend(offset, lengthBytes);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Stability write(ByteBuffer source, long offset, Stability stability) throws FsException {
        if (source.hasRemaining()) {
            change(() -> inode.contents.write(source, offset));
        } else {
            requireWrite();
        }
        return Stability.FILE_SYNC;
    }

    /** Does nothing: there is no storage more stable than memory. */
    @Override
    public void sync() {}

    /** Takes the pages before it locks the file: clearing gigabytes takes long, and others go on meanwhile. */
    @Override
    public void allocate(long offset, long lengthBytes) throws FsException {
        requirePositive(lengthBytes);
        requireWrite();
        long missing = ofContents(() -> inode.contents.missingPages(offset, lengthBytes));
        try (PageAllocator.Supply pages = inode.allocator.supply(missing)) {
            change(() -> inode.contents.allocate(offset, lengthBytes, pages));
        }
    }

    @Override
    public void deallocate(long offset, long lengthBytes) throws FsException {
        requirePositive(lengthBytes);
        change(() -> inode.contents.deallocate(offset, lengthBytes));
    }

    private static void requirePositive(long lengthBytes) throws FsException {
        if (lengthBytes <= 0) {
            throw FsException.of(FsError.INVALID);
        }
    }

    private void change(Change change) throws FsException {
        requireWrite();
        Lock lock = inode.lock.writeLock();
        lock.lock();
        try {
            change.apply();
            inode.ownership = inode.ownership.afterWrite(caller);
            inode.contentsChanged();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long seekData(long offset) throws FsException {
        return ofContents(() -> inode.contents.seekData(offset));
    }

    @Override
    public long seekHole(long offset) throws FsException {
        return ofContents(() -> inode.contents.seekHole(offset));
    }

    private long ofContents(Question question) throws FsException {
        Lock lock = inode.lock.readLock();
        lock.lock();
        try {
            return question.answer();
        } finally {
            lock.unlock();
        }
    }

    /** Copies up to {@value #COPY_STEP_BYTES} bytes at a time. The two files are never locked together. */
    @Override
    public long copyTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException {
        if (!(target instanceof MemoryOpenFile to) || to.fileSystem != fileSystem) {
            throw FsException.of(FsError.CROSS_DEVICE);
        }
        requireRead();
        to.requireWrite();
        long there = Math.min(lengthBytes, sizeBytes() - offset);
        if (to.inode == inode && Math.abs(offset - targetOffset) < there) {
            throw FsException.of(FsError.INVALID);
        }
        ByteBuffer step = ByteBuffer.allocate((int) Math.min(COPY_STEP_BYTES, lengthBytes));
        int count = read(step, offset);
        if (count > 0) {
            to.write(step.flip(), targetOffset, Stability.UNSTABLE);
        }
        return count;
    }

    @Override
    public void cloneTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException {
        throw FsException.of(FsError.NOT_SUPPORTED);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            fileSystem.closed(inode);
        }
    }

    private void requireRead() throws FsException {
        requireAccess(access.reads());
    }

    private void requireWrite() throws FsException {
        requireAccess(access.writes());
    }

    private void requireAccess(boolean granted) throws FsException {
        if (closed.get()) {
            throw new IllegalStateException("file " + inode.fileId + " is closed");
        }
        if (!granted) {
            throw FsException.of(FsError.ACCESS);
        }
    }

    private interface Change {
        void apply() throws FsException;
    }

    private interface Question {
        long answer() throws FsException;
    }
}
