package org.warpnfs.example.log;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** An open file of {@link LogFileSystem}, which keeps the file until this is closed. */
final class LogOpenFile implements OpenFile {
    private final LogFileSystem files;
    private final FileHandle handle;
    private final long id;
    private final Caller caller;
    private final OpenAccess access;
    private final AtomicBoolean closed = new AtomicBoolean();

    LogOpenFile(LogFileSystem files, FileHandle handle, long id, Caller caller, OpenAccess access) {
        this.files = files;
        this.handle = handle;
        this.id = id;
        this.caller = caller;
        this.access = access;
    }

    @Override
    public FileHandle handle() {
        return handle;
    }

    @Override
    public FileAttributes attributes() throws FsException {
        return files.attributesOf(id);
    }

    @Override
    public int read(ByteBuffer sink, long offset) throws FsException {
        require(access.reads());
        return files.read(id, sink, offset);
    }

    @Override
    public Stability write(ByteBuffer source, long offset, Stability stability) throws FsException {
        require(access.writes());
        return files.write(caller, id, source, offset, stability);
    }

    @Override
    public void sync() throws FsException {
        files.sync();
    }

    private static void require(boolean granted) throws FsException {
        if (!granted) {
            throw FsException.of(FsError.ACCESS);
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            files.closed(id);
        }
    }
}
