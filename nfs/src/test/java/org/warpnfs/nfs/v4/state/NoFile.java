package org.warpnfs.nfs.v4.state;

import java.nio.ByteBuffer;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/** An open file that records only whether it has been closed. */
class NoFile implements OpenFile {
    boolean closed;

    @Override
    public void close() {
        assert !closed : "closed twice";
        closed = true;
    }

    @Override
    public FileHandle handle() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileAttributes attributes() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int read(ByteBuffer sink, long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Stability write(ByteBuffer source, long offset, Stability stability) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sync() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void allocate(long offset, long lengthBytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void deallocate(long offset, long lengthBytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long seekData(long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long seekHole(long offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long copyTo(long offset, OpenFile target, long targetOffset, long lengthBytes) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void cloneTo(long offset, OpenFile target, long targetOffset, long lengthBytes) {
        throw new UnsupportedOperationException();
    }
}
