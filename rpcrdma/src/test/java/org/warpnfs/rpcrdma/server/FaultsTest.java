package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.qp.QueuePairConfig;
import org.warpnfs.iwarp.sim.LinkFaults;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.RequesterReply;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.testkit.Seeds;

/** Many calls on links that delay, cut and break. Every call ends, and all resources are given back. */
class FaultsTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_049);

    @Test
    void linksThatCutAndReset_manyCalls_allEndAndEverythingComesBack() {
        Seeds.each(25, FaultsTest::run);
    }

    private static void run(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean resets = seed % 3 != 0;
        LinkFaults faults = resets ? LinkFaults.cuts().withResets(0.002) : LinkFaults.cuts();
        Simulation simulation = new Simulation(seed, QueuePairConfig.defaults(), faults);
        PayloadPool pool = new PayloadPool(1 << 20, 512 << 10);
        EchoProgram program = new EchoProgram(new PayloadPool(64 << 20, 1 << 20));
        Queue<Runnable> operations = new ArrayDeque<>();
        RpcRdmaService service = RpcRdmaService.unwatched(
                Map.of(EchoProgram.PROGRAM, program),
                operations::add,
                pool,
                ResponderOptions.builder()
                        .credits(random.nextInt(1, 5), 16)
                        .maxPostedWork(4)
                        .build(),
                transport -> {});
        simulation.listen(SERVER, service);
        List<CompletableFuture<RequesterReply>> replies = new ArrayList<>();
        for (int connection = 0; connection < 4; connection++) {
            CompletableFuture<RpcRdmaRequester> connecting =
                    RpcRdmaRequester.connect(simulation.connector(), SERVER, RequesterOptions.DEFAULT, call -> call);
            settle(simulation, operations, random);
            if (connecting.isCompletedExceptionally()) {
                continue;
            }
            RpcRdmaRequester requester = connecting.join();
            int calls = random.nextInt(1, 30);
            for (int xid = 0; xid < calls; xid++) {
                replies.add(randomCall(requester, random, xid));
                if (random.nextInt(4) == 0) {
                    settle(simulation, operations, random);
                }
            }
        }
        settle(simulation, operations, random);
        assertThat(replies).allMatch(CompletableFuture::isDone);
        if (!resets) {
            assertThat(replies).noneMatch(CompletableFuture::isCompletedExceptionally);
        }
        service.close();
        settle(simulation, operations, random);
        assertThat(simulation.internalErrors()).isEmpty();
        assertThat(pool.lentBytes()).isZero();
        for (Counter level : new Counter[] {
            Counter.CONNECTIONS_OPEN, Counter.CALLS_RUNNING, Counter.CREDITS_GRANTED, Counter.CREDIT_OVERRUNS
        }) {
            assertThat(service.statistics().get(level)).as("%s", level).isZero();
        }
    }

    private static CompletableFuture<RequesterReply> randomCall(
            RpcRdmaRequester requester, SplittableRandom random, int xid) {
        int count = random.nextInt(1 << random.nextInt(1, 18));
        if (random.nextBoolean()) {
            byte[] data = EchoProgram.pattern(count, xid);
            return requester.call(Rpc.write(xid, data), ChunkOffer.NONE).thenApply(reply -> {
                ByteBuffer results = Rpc.success(xid, reply.message());
                assertThat(new int[] {results.getInt(), results.getInt(), results.getInt()})
                        .containsExactly(7, count, EchoProgram.checksum(ByteBuffer.wrap(data)));
                return reply;
            });
        }
        return requester
                .call(Rpc.call(xid, EchoProgram.READ, count), ChunkOffer.write(ByteBuffer.allocate(count + 4)))
                .thenApply(reply -> {
                    assertThat(reply.written().getFirst()).isEqualTo(ByteBuffer.wrap(EchoProgram.pattern(count, 0)));
                    return reply;
                });
    }

    /** Runs network and operations in an order that the seed determines, until nothing is left to do. */
    private static void settle(Simulation simulation, Queue<Runnable> operations, SplittableRandom random) {
        boolean more = true;
        while (more || !operations.isEmpty()) {
            if (!operations.isEmpty() && random.nextInt(8) == 0) {
                operations.remove().run();
            }
            more = simulation.step();
            if (!more && !operations.isEmpty()) {
                operations.remove().run();
                more = true;
            }
        }
    }
}
