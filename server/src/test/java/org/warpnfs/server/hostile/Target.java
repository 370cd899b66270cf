package org.warpnfs.server.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;

/** The target of the attacks: a server, and a file of 1 MiB on it that anyone may read and write. */
final class Target {
    static final int MIB = 1 << 20;
    private static final int UID = 1000;
    private static final int ANYONE = 0666;
    private static final int BLOCK_BYTES = 32 << 10;

    private final InetSocketAddress tcp;
    private final InetSocketAddress rdma;
    private final byte[] file;

    private Target(InetSocketAddress tcp, InetSocketAddress rdma, byte[] file) {
        this.tcp = tcp;
        this.rdma = rdma;
        this.file = file;
    }

    static Target prepare(WarpServer server) throws IOException {
        return prepare(server.tcpAddress(), server.rdmaAddress());
    }

    /** A target in another process. */
    static Target prepare(InetSocketAddress tcp, InetSocketAddress rdma) throws IOException {
        ByteBuffer mounted = NfsCall.of(1, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(tcp);
        check(mounted.getInt());
        byte[] root = NfsCall.opaque(mounted);
        ByteBuffer created = NfsCall.of(2, NfsCall.NFS, 3, 8, UID)
                .opaque(root)
                .string("big")
                .word(0)
                .word(1)
                .word(ANYONE)
                .word(0)
                .word(0)
                .word(0)
                .word(0)
                .word(0)
                .overTcp(tcp);
        check(created.getInt());
        created.getInt();
        byte[] file = NfsCall.opaque(created);
        for (int offset = 0; offset < MIB; offset += BLOCK_BYTES) {
            check(NfsCall.of(3 + offset, NfsCall.NFS, 3, 7, UID)
                    .opaque(file)
                    .hyper(offset)
                    .word(BLOCK_BYTES)
                    .word(0)
                    .data(ByteBuffer.allocate(BLOCK_BYTES))
                    .overTcp(tcp)
                    .getInt());
        }
        return new Target(tcp, rdma, file);
    }

    private static void check(int status) {
        if (status != 0) {
            throw new AssertionError("status " + status);
        }
    }

    InetSocketAddress tcp() {
        return tcp;
    }

    InetSocketAddress rdma() {
        return rdma;
    }

    /** Encodes a READ of the whole file (RFC 1813, section 3.3.6). */
    byte[] read(int xid) {
        return flat(
                NfsCall.of(xid, NfsCall.NFS, 3, 6, UID).opaque(file).hyper(0).word(MIB));
    }

    /** Encodes a WRITE to the file, without the data that have to follow (RFC 1813, section 3.3.7). */
    byte[] writeWithoutData(int xid, int countBytes) {
        return flat(NfsCall.of(xid, NfsCall.NFS, 3, 7, UID)
                .opaque(file)
                .hyper(0)
                .word(countBytes)
                .word(0)
                .word(countBytes));
    }

    /** Encodes a COMMIT of the file (RFC 1813, section 3.3.21). */
    byte[] commit(int xid) {
        return flat(
                NfsCall.of(xid, NfsCall.NFS, 3, 21, UID).opaque(file).hyper(0).word(0));
    }

    static byte[] flat(NfsCall call) {
        ByteBuffer flat = call.message().flatten();
        byte[] bytes = new byte[flat.remaining()];
        flat.get(bytes);
        return bytes;
    }
}
