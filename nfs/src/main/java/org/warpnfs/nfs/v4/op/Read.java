package org.warpnfs.nfs.v4.op;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.nfs.io.FileData;
import org.warpnfs.nfs.io.Lanes;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.payload.Payload;

/**
 * READ (RFC 8881, section 18.22). The data are DDP-eligible.
 *
 * <h2>Buffers</h2>
 *
 * Data that may be sent from where the backend has them take no memory at first. Otherwise the memory was acquired
 * before the operation began. Once filled, the payload belongs to the result. If the operation fails before that, it is
 * released here.
 */
public final class Read implements Operation {
    /** Length of a result before its data: eof and their length. */
    public static final int HEAD_BYTES = 8;

    @Override
    public void execute(CallContext call, CompoundReader in, CompoundWriter out)
            throws Nfs4Exception, FsException, Postponed {
        Stateid stateid = call.files().resolve(in.stateid());
        long offset = in.int64();
        long count = in.uint32();
        call.requireRoom(out, HEAD_BYTES + Math.min(count, 1));
        int most = call.maxReadBytes(false, call.roomBytes(out) - HEAD_BYTES);
        int memoryBytes = FileData.memoryBytes(offset, count, most);
        if (call.mustNotWait()) {
            if (!readWithoutWait(call, stateid, offset, memoryBytes, out)) {
                int atFirst = call.triesInPlace(memoryBytes, out) ? 0 : memoryBytes;
                throw new Postponed(atFirst, () -> readHere(call, stateid, offset, memoryBytes, out));
            }
        } else {
            readHere(call, stateid, offset, memoryBytes, out);
        }
    }

    /** Reads on a thread that may wait. */
    private static void readHere(CallContext call, Stateid stateid, long offset, int memoryBytes, CompoundWriter out)
            throws Nfs4Exception, FsException, Postponed {
        if (!call.triesInPlace(memoryBytes, out)) {
            read(call, stateid, offset, memoryBytes, out);
        } else if (!readInPlace(call, stateid, offset, memoryBytes, out)) {
            throw new Postponed(memoryBytes, () -> read(call, stateid, offset, memoryBytes, out));
        }
    }

    /** Returns false if the data are to be read. */
    private static boolean readInPlace(
            CallContext call, Stateid stateid, long offset, int memoryBytes, CompoundWriter out)
            throws Nfs4Exception, FsException {
        try (FileAccess access = FileAccess.toRead(call, call.files().current(), stateid)) {
            FileData data = FileData.inPlace(access.file(), offset, memoryBytes, call.maxRangeBytes(out));
            if (data == null) {
                return false;
            }
            encode(data, out);
            return true;
        }
    }

    private static void read(CallContext call, Stateid stateid, long offset, int memoryBytes, CompoundWriter out)
            throws Nfs4Exception, FsException {
        try (FileAccess access = FileAccess.toRead(call, call.files().current(), stateid)) {
            encode(FileData.read(access.file(), offset, call.takeMemory(memoryBytes)), out);
        }
    }

    /** Reads what needs no wait. Returns false if nothing was done. */
    private static boolean readWithoutWait(
            CallContext call, Stateid stateid, long offset, int memoryBytes, CompoundWriter out)
            throws Nfs4Exception, FsException {
        try (FileAccess access = FileAccess.toReadWithoutWait(call, call.files().current(), stateid)) {
            if (access == null) {
                return false;
            }
            FileData data = Lanes.mayCopyOnEventLoop(memoryBytes)
                    ? copyWithoutWait(call, access.file(), offset, memoryBytes)
                    : FileData.tryInPlace(access.file(), offset, memoryBytes, call.maxRangeBytes(out));
            if (data == null) {
                return false;
            }
            encode(data, out);
            return true;
        }
    }

    private static @Nullable FileData copyWithoutWait(CallContext call, OpenFile file, long offset, int memoryBytes)
            throws Nfs4Exception, FsException {
        Payload memory = call.takeMemory(memoryBytes);
        FileData data = null;
        try {
            data = FileData.tryRead(file, offset, memory);
            return data;
        } finally {
            if (data == null) {
                call.memory().give(memory);
            }
        }
    }

    private static void encode(FileData data, CompoundWriter out) {
        // An offset beyond 2^63 is beyond the end and not an error; otherwise Linux would repeat the request for ever.
        out.bool(data.isEnd());
        out.payload(data.payload());
    }
}
