package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.rpcrdma.chunk.CallLayout;
import org.warpnfs.rpcrdma.message.RpcMessage;
import org.warpnfs.rpcrdma.trace.CallTrace;
import org.warpnfs.rpcrdma.wire.ChunkLists;
import org.warpnfs.rpcrdma.wire.RdmaMsg;

class EndedCallsTest {
    private final List<Runnable> tasks = new ArrayList<>();
    private final List<Long> ended = new ArrayList<>();
    private int flushes;
    private Runnable endedAnother = () -> {};

    private static QueuePair queuePair(Consumer<Runnable> execute) {
        return (QueuePair) Proxy.newProxyInstance(
                QueuePair.class.getClassLoader(), new Class<?>[] {QueuePair.class}, (proxy, method, args) -> {
                    if (!method.getName().equals("execute")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    execute.accept((Runnable) args[0]);
                    return null;
                });
    }

    private RdmaCall call(long xid) throws Exception {
        RdmaMsg header = new RdmaMsg(xid, 1, ChunkLists.NONE);
        ByteBuffer inline = ByteBuffer.allocate(40);
        CallLayout layout = CallLayout.ofInline(xid, List.of(), inline.remaining());
        return new RdmaCall(
                (call, reply) -> {}, new CallTrace(xid, "a test"), header, ChunkLists.NONE, layout, 0, inline);
    }

    /** Throws for every second call. */
    private final CallSteps steps = new CallSteps() {
        @Override
        public void ended(RdmaCall call, @Nullable RpcMessage reply) {
            if (call.xid() % 2 == 0) {
                throw new IllegalStateException("call " + call.xid());
            }
            ended.add(call.xid());
            endedAnother.run();
        }

        @Override
        public void allEnded() {
            flushes++;
        }

        @Override
        public void sinkGiven(RdmaCall call) {
            throw new AssertionError("it has ended");
        }

        @Override
        public void pulled(RdmaCall call) {
            throw new AssertionError("it has ended");
        }

        @Override
        public void run(RdmaCall call) {
            throw new AssertionError("it has ended");
        }
    };

    @Test
    void severalEnded_someThrow_theOthersEndAndLeave() throws Exception {
        EndedCalls calls = new EndedCalls(queuePair(tasks::add), steps);
        for (int xid = 1; xid <= 5; xid++) {
            calls.ended(call(xid), null);
        }
        assertThat(tasks).hasSize(1);
        assertThatThrownBy(tasks.removeFirst()::run)
                .as("ends the connection")
                .hasMessage("call 2")
                .satisfies(first -> assertThat(first.getSuppressed()).hasSize(1));
        assertThat(ended).containsExactly(1L, 3L, 5L);
        assertThat(flushes).isEqualTo(1);
    }

    /** On an event loop, the end of one call starts another one, which ends at once. */
    @Test
    void callsThatEndAtOnce_endInRounds_andRepliesLeaveAfterEach() throws Exception {
        EndedCalls calls = new EndedCalls(queuePair(tasks::add), steps);
        RdmaCall call = call(1);
        endedAnother = () -> {
            if (ended.size() < 100) {
                calls.ended(call, null);
            }
        };
        calls.ended(call, null);
        tasks.removeFirst().run();
        assertThat(ended).hasSize(EndedCalls.MAX_IN_ROUND);
        assertThat(flushes).isEqualTo(1);
        while (!tasks.isEmpty()) {
            tasks.removeFirst().run();
        }
        assertThat(ended).hasSize(100);
        assertThat(flushes).isEqualTo(4);
    }

    @Test
    void ownerIsGone_someThrow_theOthersEndAndNobodyIsBlamed() throws Exception {
        EndedCalls calls = new EndedCalls(
                queuePair(task -> {
                    throw new RejectedExecutionException();
                }),
                steps);
        for (int xid = 1; xid <= 5; xid++) {
            calls.ended(call(xid), null);
        }
        assertThat(ended).containsExactly(1L, 3L, 5L);
    }
}
