package org.warpnfs.fs.spi;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** An open file of {@link PosixFileSystem}. It keeps the file until it is closed. */
final class PosixOpenFile<F> implements OpenFile {
    private final PosixFileSystem<F> files;
    private final Caller caller;
    private final FileHandle handle;
    private final OpenAccess access;
    private final AtomicBoolean closed = new AtomicBoolean();

    PosixOpenFile(PosixFileSystem<F> files, Caller caller, FileHandle handle, OpenAccess access) {
        this.files = files;
        this.caller = caller;
        this.handle = handle;
        this.access = access;
    }

    @Override
    public FileHandle handle() {
        return handle;
    }

    @Override
    public FileAttributes attributes() throws FsException {
        return files.attributes(handle);
    }

    @Override
    public int read(ByteBuffer sink, long offset) throws FsException {
        requireOpened(access.reads());
        return files.reading(() -> {
            F file = files.find(handle);
            int count = Math.clamp(files.attributesOf(file).sizeBytes() - offset, 0, sink.remaining());
            int limit = sink.limit();
            try {
                files.read(file, sink.limit(sink.position() + count), offset);
            } finally {
                sink.limit(limit);
            }
            return count;
        });
    }

    @Override
    public Stability write(ByteBuffer source, long offset, Stability stability) throws FsException {
        requireOpened(access.writes());
        if (!source.hasRemaining()) {
            return Stability.FILE_SYNC;
        }
        if (offset > files.limits().maxFileSizeBytes() - source.remaining()) {
            throw FsException.of(FsError.FILE_TOO_BIG);
        }
        files.changing(() -> {
            F file = files.find(handle);
            FileAttributes before = files.attributesOf(file);
            long sizeBytes = Math.max(before.sizeBytes(), offset + source.remaining());
            PosixFileSystem.Changes<F> changes = files.changes();
            changes.set(file, PosixRules.afterWrite(caller, before, sizeBytes, PosixFileSystem.now(), files.next()));
            changes.write(file, source.duplicate(), offset);
            changes.commit();
            return sizeBytes;
        });
        source.position(source.limit());
        if (stability == Stability.UNSTABLE) {
            return stability;
        }
        files.sync();
        return Stability.FILE_SYNC;
    }

    private static void requireOpened(boolean granted) throws FsException {
        if (!granted) {
            throw FsException.of(FsError.ACCESS);
        }
    }

    @Override
    public void sync() throws FsException {
        requireOpened(files.limits().has(Capability.WRITE));
        files.sync();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            if (files.limits().has(Capability.WRITE)) {
                files.changing(this::leave);
            } else {
                files.reading(this::leave);
            }
        } catch (FsException e) {
            // A file without a name stays until the backend finds it at its next start.
        }
    }

    private boolean leave() throws FsException {
        F file = files.find(handle);
        FileAttributes attributes = files.attributesOf(file);
        boolean isLast = files.opens.merge(attributes.fileId(), -1, (a, b) -> a + b == 0 ? null : a + b) == null;
        if (isLast && attributes.linkCount() == 0) {
            PosixFileSystem.Changes<F> changes = files.changes();
            changes.drop(file);
            changes.commit();
        }
        return isLast;
    }
}
