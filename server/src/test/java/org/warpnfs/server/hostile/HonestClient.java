package org.warpnfs.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.tcp.TcpConnector;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;

/**
 * A client that keeps to the protocol. It fails at the first unexpected answer: a status of "try later", a refused or
 * ended connection, or data that differ from what it wrote.
 */
final class HonestClient implements AutoCloseable {
    /** The transport by which a client reaches the server. */
    enum Way {
        TCP,
        RDMA
    }

    private static final AtomicInteger NEXT = new AtomicInteger();
    private static final int UID = 1000;
    private static final int IO_BYTES = 128 << 10;
    private static final int FILE_BLOCKS = 8;
    private static final int SECONDS = 60;
    private static final int GETATTR = 1;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int REMOVE = 12;
    private static final int COMMIT = 21;

    private final InetSocketAddress tcpAddress;
    private final InetSocketAddress rdmaAddress;
    private final Way way;
    private final IwarpTransport iwarp = new IwarpTransport();
    private final TcpConnector tcp = new TcpConnector(1);
    private final int number = NEXT.getAndIncrement();
    private final Random random = new Random(number);
    private final byte[] root;
    private final byte[] file;
    private Requester requester;
    private final V41Client session;
    /** Clients must not share XIDs, because the server would take the second call for a repetition of the first. */
    private int xid = number << 16;

    private int rounds;

    HonestClient(WarpServer server, Way way) throws Exception {
        this(server.tcpAddress(), server.rdmaAddress(), way);
    }

    /** A client of a server in another process. */
    HonestClient(InetSocketAddress tcpAddress, InetSocketAddress rdmaAddress, Way way) throws Exception {
        this.tcpAddress = tcpAddress;
        this.rdmaAddress = rdmaAddress;
        this.way = way;
        requester = connect();
        ByteBuffer mounted = NfsCall.of(1, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(tcpAddress);
        assertThat(mounted.getInt()).isZero();
        root = NfsCall.opaque(mounted);
        file = create("honest-" + way);
        session = new V41Client(this::answer, "honest " + number);
        session.open();
    }

    private Requester connect() throws Exception {
        return switch (way) {
            case TCP ->
                tcp.connect(tcpAddress, TcpRequesterOptions.DEFAULT, BackwardCalls.NONE)
                        .get(SECONDS, TimeUnit.SECONDS);
            case RDMA ->
                RpcRdmaRequester.connect(iwarp.connector(), rdmaAddress, RequesterOptions.DEFAULT, BackwardCalls.NONE)
                        .get(SECONDS, TimeUnit.SECONDS);
        };
    }

    private ByteBuffer answer(NfsCall call) throws Exception {
        return answer(call, ChunkOffer.NONE);
    }

    private ByteBuffer answer(NfsCall call, ChunkOffer offer) throws Exception {
        return NfsCall.results(requester
                .call(call.message(), offer)
                .get(SECONDS, TimeUnit.SECONDS)
                .message());
    }

    private NfsCall nfs3(int procedure, byte[] handle) {
        return NfsCall.of(xid++, NfsCall.NFS, 3, procedure, UID).opaque(handle);
    }

    private byte[] create(String name) throws Exception {
        ByteBuffer results = answer(nfs3(CREATE, root)
                .string(name)
                .word(0)
                .word(1)
                .word(0644)
                .word(0)
                .word(0)
                .word(0)
                .word(0)
                .word(0));
        assertThat(results.getInt()).as("CREATE").isZero();
        assertThat(results.getInt()).as("a handle follows").isEqualTo(1);
        return NfsCall.opaque(results);
    }

    /** Makes one call of each kind. Each must be answered by NFS3_OK, and a READ must return what was written. */
    void round() throws Exception {
        rounds++;
        assertThat(answer(nfs3(GETATTR, root)).getInt()).as("GETATTR").isZero();
        long offset = (long) IO_BYTES * random.nextInt(FILE_BLOCKS);
        ByteBuffer data = ByteBuffer.allocateDirect(IO_BYTES);
        random.ints(IO_BYTES / 4).forEach(data::putInt);
        data.flip();
        ByteBuffer written =
                answer(nfs3(WRITE, file).hyper(offset).word(IO_BYTES).word(0).data(data.duplicate()));
        assertThat(written.getInt()).as("WRITE").isZero();
        ByteBuffer read = read(offset);
        assertThat(read.mismatch(data))
                .as("first byte that is not what was written")
                .isEqualTo(-1);
        assertThat(answer(nfs3(COMMIT, file).hyper(0).word(0)).getInt())
                .as("COMMIT")
                .isZero();
        if (rounds % 8 == 0) {
            String name = "made-by-" + way + rounds;
            create(name);
            assertThat(answer(nfs3(REMOVE, root).string(name)).getInt())
                    .as("REMOVE")
                    .isZero();
        }
        session.renew();
    }

    private ByteBuffer read(long offset) throws Exception {
        ByteBuffer sink = ByteBuffer.allocateDirect(IO_BYTES);
        boolean rdma = way == Way.RDMA;
        ByteBuffer results =
                answer(nfs3(READ, file).hyper(offset).word(IO_BYTES), rdma ? ChunkOffer.write(sink) : ChunkOffer.NONE);
        assertThat(results.getInt()).as("READ").isZero();
        if (rdma) {
            return sink.rewind();
        }
        results.position(results.position() + 4 + 84);
        assertThat(results.getInt()).as("count").isEqualTo(IO_BYTES);
        results.getInt();
        return ByteBuffer.wrap(NfsCall.opaque(results));
    }

    /** Closes the connection and makes another, which must be accepted and served. */
    void reconnect() throws Exception {
        requester.close();
        requester = connect();
        assertThat(answer(nfs3(GETATTR, root)).getInt())
                .as("GETATTR on a new connection")
                .isZero();
    }

    @Override
    public void close() {
        requester.close();
        tcp.close();
        iwarp.close();
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }
}
