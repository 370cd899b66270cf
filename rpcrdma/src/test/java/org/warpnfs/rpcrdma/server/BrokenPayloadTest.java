package org.warpnfs.rpcrdma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.rpcrdma.testing.SimulatedResponder.inline;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadEncoder;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.testing.EchoProgram;
import org.warpnfs.rpcrdma.testing.RawRequester;
import org.warpnfs.rpcrdma.testing.Rpc;
import org.warpnfs.rpcrdma.testing.SimulatedResponder;

/** Replies with a defect of ours. It ends the connection, and nothing else of their calls is lost. */
class BrokenPayloadTest {
    private static final int CALLS = 3;
    private static final int REPLY_BYTES = 4096;

    private enum Way {
        /** The requester takes the replies. */
        SENT,
        /** The connection ends before it does. */
        CUT,
        /** The replies do not fit, and errors are sent in their place. */
        REFUSED
    }

    private final SimulatedResponder responder = new SimulatedResponder(ResponderOptions.builder()
            .clients(ClientLimits.DEFAULT.withReplyBytes(1 << 20, CALLS * REPLY_BYTES))
            .build());
    private final AtomicInteger released = new AtomicInteger();

    private final class Broken implements Payload {
        private final ByteBuffer bytes;

        Broken(int lengthBytes) {
            bytes = ByteBuffer.allocateDirect(lengthBytes);
        }

        @Override
        public ByteBuffer buffer() {
            return bytes;
        }

        @Override
        public void release() {
            released.incrementAndGet();
            throw new IllegalStateException("a payload that cannot be given back");
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void payloadsThatCannotBeReleased_replies_leaveNothingElseBehind(Way way) throws Exception {
        RawRequester raw = responder.connect(0);
        for (int xid = 0; xid < CALLS; xid++) {
            raw.send(inline(Rpc.call(xid, EchoProgram.PARK)));
        }
        responder.settle();
        assertThat(responder.program.parked).hasSize(CALLS);
        int lengthBytes = way == Way.REFUSED ? 1 << 20 : 8;
        for (RpcCall call : responder.program.parked) {
            call.reply((EchoProgram.Encoded) xdr -> ((PayloadEncoder) xdr).xdrEncodePayload(new Broken(lengthBytes)));
        }
        responder.program.parked.clear();
        if (way == Way.CUT) {
            responder.simulation.resetAll();
        }
        responder.settle();
        assertThat(released).hasValue(CALLS);
        assertThat(raw.open()).isFalse();
        responder.assertStillServes(responder.connect(0));
        responder.service.close();
        responder.settle();
        for (Counter level : Counter.values()) {
            if (level.kind() == Counter.Kind.LEVEL) {
                assertThat(responder.count(level)).as("%s", level).isZero();
            }
        }
    }

    /** A reply that cannot be given up keeps neither those behind it nor the rest of the connection. */
    @Test
    void payloadsThatCannotBeReleased_repliesThatWait_leaveNothingElseBehind() throws Exception {
        SimulatedResponder few = new SimulatedResponder(ResponderOptions.builder()
                .credits(2 * CALLS, 2 * CALLS)
                .maxPostedWork(2)
                .build());
        RawRequester raw = few.connect(0);
        for (int xid = 0; xid < 2 * CALLS; xid++) {
            raw.send(inline(Rpc.call(xid, EchoProgram.PARK)));
        }
        few.settle();
        few.simulation.stall(false, TimeUnit.HOURS.toNanos(1));
        for (RpcCall call : few.program.parked) {
            call.reply((EchoProgram.Encoded) xdr -> ((PayloadEncoder) xdr).xdrEncodePayload(new Broken(8)));
        }
        few.program.parked.clear();
        few.simulation.runFor(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(released).as("replies that wait or are on their way").hasValue(0);
        few.simulation.resetAll();
        few.settle();
        assertThat(released).hasValue(2 * CALLS);
        few.service.close();
        few.settle();
        for (Counter level : Counter.values()) {
            if (level.kind() == Counter.Kind.LEVEL) {
                assertThat(few.count(level)).as("%s", level).isZero();
            }
        }
    }
}
