package org.warpnfs.server.metrics;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import org.warpnfs.fs.spi.CachedRange;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;
import org.warpnfs.server.metrics.BackendTimes.Call;

/** Wraps an open file and measures its calls. Safe for any thread. */
final class TimedOpenFile implements OpenFile {
    private final OpenFile file;
    private final BackendTimes times;

    TimedOpenFile(OpenFile file, BackendTimes times) {
        this.file = file;
        this.times = times;
    }

    /** Returns the wrapped file, since backends accept only their own files. */
    private static OpenFile bare(OpenFile other) {
        return other instanceof TimedOpenFile timed ? timed.file : other;
    }

    @Override
    public FileHandle handle() {
        return file.handle();
    }

    @Override
    public Optional<String> path() {
        return file.path();
    }

    @Override
    public FileAttributes attributes() throws FsException {
        return attributes(FileAttribute.ALL);
    }

    @Override
    public FileAttributes attributes(Set<FileAttribute> wanted) throws FsException {
        long began = times.begin(Call.ATTRIBUTES);
        try {
            return file.attributes(wanted);
        } finally {
            times.ended(Call.ATTRIBUTES, began);
        }
    }

    @Override
    public FileAttributes attributesAfterWrite(Set<FileAttribute> wanted) throws FsException {
        long began = times.begin(Call.ATTRIBUTES);
        try {
            return file.attributesAfterWrite(wanted);
        } finally {
            times.ended(Call.ATTRIBUTES, began);
        }
    }

    @Override
    public int read(ByteBuffer sink, long offset) throws FsException {
        long began = times.begin(Call.READ);
        try {
            return file.read(sink, offset);
        } finally {
            times.ended(Call.READ, began);
        }
    }

    /** Counts as a read if there is a range. Otherwise a read follows. */
    @Override
    public Optional<CachedRange> range(long offset, int lengthBytes) throws FsException {
        long began = times.begin(Call.READ);
        return countedIfThere(file.range(offset, lengthBytes), began);
    }

    /** Counts as a read if something is lent. Otherwise a read follows. */
    @Override
    public Optional<LentPages> lend(long offset, int lengthBytes) throws FsException {
        long began = times.begin(Call.READ);
        return countedIfThere(file.lend(offset, lengthBytes), began);
    }

    private <T> Optional<T> countedIfThere(Optional<T> data, long began) {
        if (data.isPresent()) {
            times.ended(Call.READ, began);
        }
        return data;
    }

    /** Counts as a read if there are data. Otherwise a read follows, or nothing was asked for. */
    @Override
    public int tryRead(ByteBuffer sink, long offset) throws FsException {
        long began = times.begin(Call.READ);
        boolean asks = sink.hasRemaining();
        int count = file.tryRead(sink, offset);
        if (asks && count != WOULD_WAIT) {
            times.ended(Call.READ, began);
        }
        return count;
    }

    /** Is not measured: it belongs to the read before it. */
    @Override
    public long sizeBytes() throws FsException {
        return file.sizeBytes();
    }

    @Override
    public Stability write(ByteBuffer source, long offset, Stability stability) throws FsException {
        Call call = stability == Stability.UNSTABLE ? Call.WRITE : Call.WRITE_STABLE;
        long began = times.begin(call);
        try {
            return file.write(source, offset, stability);
        } finally {
            times.ended(call, began);
        }
    }

    @Override
    public void sync() throws FsException {
        long began = times.begin(Call.SYNC);
        try {
            file.sync();
        } finally {
            times.ended(Call.SYNC, began);
        }
    }

    @Override
    public void allocate(long offset, long lengthBytes) throws FsException {
        long began = times.begin(Call.ALLOCATE);
        try {
            file.allocate(offset, lengthBytes);
        } finally {
            times.ended(Call.ALLOCATE, began);
        }
    }

    @Override
    public void deallocate(long offset, long lengthBytes) throws FsException {
        long began = times.begin(Call.ALLOCATE);
        try {
            file.deallocate(offset, lengthBytes);
        } finally {
            times.ended(Call.ALLOCATE, began);
        }
    }

    @Override
    public long seekData(long offset) throws FsException {
        long began = times.begin(Call.SEEK);
        try {
            return file.seekData(offset);
        } finally {
            times.ended(Call.SEEK, began);
        }
    }

    @Override
    public long seekHole(long offset) throws FsException {
        long began = times.begin(Call.SEEK);
        try {
            return file.seekHole(offset);
        } finally {
            times.ended(Call.SEEK, began);
        }
    }

    @Override
    public long copyTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException {
        long began = times.begin(Call.COPY);
        try {
            return file.copyTo(offset, bare(target), targetOffset, lengthBytes);
        } finally {
            times.ended(Call.COPY, began);
        }
    }

    @Override
    public void cloneTo(long offset, OpenFile target, long targetOffset, long lengthBytes) throws FsException {
        long began = times.begin(Call.COPY);
        try {
            file.cloneTo(offset, bare(target), targetOffset, lengthBytes);
        } finally {
            times.ended(Call.COPY, began);
        }
    }

    @Override
    public void close() {
        long began = times.begin(Call.CLOSE);
        try {
            file.close();
        } finally {
            times.ended(Call.CLOSE, began);
        }
    }
}
