package org.warpnfs.rpcrdma.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.sim.LinkFaults;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.PrivateData;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.rpcrdma.wire.RpcRdmaViolation;

/** A responder on a simulated network, with requesters that the test controls. */
public final class SimulatedResponder {
    public static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_049);

    public final PayloadPool pool = new PayloadPool(8 << 20, 2 << 20);
    public final EchoProgram program = new EchoProgram(pool);
    public final Simulation simulation;
    public final List<Runnable> operations = new ArrayList<>();
    public final RpcRdmaService service;

    public SimulatedResponder(ResponderOptions options) {
        this(options, QueuePairConfig.defaults());
    }

    public SimulatedResponder(ResponderOptions options, QueuePairConfig queuePairs) {
        simulation = new Simulation(7, queuePairs, LinkFaults.none());
        Map<OncRpcProgram, RpcDispatchable> programs = Map.of(EchoProgram.PROGRAM, program);
        service = RpcRdmaService.unwatched(programs, operations::add, pool, options, transport -> {});
        simulation.listen(ADDRESS, service);
    }

    /** Connects as a Linux client does, but with an ORD for RDMA Reads of the requester. */
    public RawRequester connect(int ord) {
        RawRequester raw = RawRequester.connect(
                simulation.connector(), ADDRESS, new PrivateData(true, 4096, 4096).encoded(), 128, ord, 4096);
        simulation.run();
        return raw;
    }

    /** Connects as a Linux client of another host does. */
    public RawRequester connectFrom(String host) {
        InetAddress address = InetAddress.ofLiteral(host);
        RawRequester raw = RawRequester.connect(simulation.connector(address), ADDRESS);
        simulation.run();
        return raw;
    }

    /** Connects a requester of ours. */
    public RpcRdmaRequester requester(RequesterOptions options, BackwardCalls backwardCalls) {
        CompletableFuture<RpcRdmaRequester> connecting =
                RpcRdmaRequester.connect(simulation.connector(), ADDRESS, options, backwardCalls);
        simulation.run();
        return connecting.join();
    }

    /** Runs all events until nothing is left to do. */
    public void settle() {
        simulation.run();
        while (!operations.isEmpty()) {
            List<Runnable> now = List.copyOf(operations);
            operations.clear();
            now.forEach(Runnable::run);
            simulation.run();
        }
    }

    public long count(Counter counter) {
        return service.statistics().get(counter);
    }

    /** A header and the bytes after it. */
    public static ByteBuffer message(RpcRdmaHeader header, ByteBuffer rpc) {
        return ByteBuffer.allocate(header.encodedLengthBytes() + rpc.remaining())
                .put(header.encoded())
                .put(rpc.duplicate())
                .flip();
    }

    /** An RPC message that is entirely inline. */
    public static ByteBuffer inline(RpcMessage rpc) {
        long xid = Integer.toUnsignedLong(rpc.xdr().getInt(0));
        return message(new RdmaMsg(xid, 32, ChunkLists.NONE), rpc.flatten());
    }

    /**
     * The header of the last message that a requester received. The buffer's position is then at the bytes after it.
     */
    public static RpcRdmaHeader header(ByteBuffer message) throws RpcRdmaViolation {
        return RpcRdmaHeader.parse(message, HeaderLimits.DEFAULT);
    }

    /** The last message that a requester received. */
    public static ByteBuffer last(RawRequester raw) {
        return raw.received.getLast().duplicate();
    }

    /** Sends a NULL and checks its answer. */
    public void assertStillServes(RawRequester raw) throws RpcRdmaViolation {
        int before = raw.received.size();
        raw.send(inline(Rpc.call(0x7777, EchoProgram.NULL)));
        settle();
        assertThat(raw.received).hasSize(before + 1);
        RpcRdmaHeader header = header(last(raw));
        assertThat(header).isInstanceOf(RdmaMsg.class);
        assertThat(header.credits()).isPositive();
    }

    /** Ends the service and checks that it gave everything back. */
    public void close() {
        service.close();
        settle();
        assertThat(simulation.internalErrors()).isEmpty();
        assertThat(pool.lentBytes()).as("payload memory lent").isZero();
        for (Counter level : Counter.values()) {
            if (level.kind() == Counter.Kind.LEVEL) {
                assertThat(count(level)).as("%s", level).isZero();
            }
        }
    }
}
