package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.nfs.nlm.NlmLimits;
import org.warpnfs.nfs.nlm.NlmProgram;
import org.warpnfs.nfs.nlm.NsmProgram;
import org.warpnfs.nfs.nlm.PeerCalls;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.v4.callback.CallbackDialer;
import org.warpnfs.payload.PayloadPool;
import org.warpnfs.rpcrdma.RpcRdmaService;
import org.warpnfs.rpcrdma.server.ResponderOptions;
import org.warpnfs.rpcrdma.stats.Counter;
import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.RdmaMsg;
import org.warpnfs.rpcrdma.wire.RdmaNomsg;
import org.warpnfs.rpcrdma.wire.RdmaSegment;
import org.warpnfs.rpcrdma.wire.RpcRdmaHeader;
import org.warpnfs.server.config.DataPath;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.limits.ServerLimits;
import org.warpnfs.testkit.CapturedSends;

/**
 * Repeats the calls of a Linux client that were captured with knfsd over RDMA. This server gets them with its own
 * handles, client IDs, sessions and stateids in place of knfsd's. The Linux client would accept each reply, and nearly
 * all calls end with the same status as with knfsd.
 */
class CapturedCallsTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20_049);

    private final Simulation simulation = new Simulation(1);
    private final List<Runnable> operations = new ArrayList<>();

    private static ServerConfig config() throws Exception {
        return InMemory.config(":/,no_root_squash", 64 << 20, Duration.ofSeconds(90));
    }

    private void settle() {
        simulation.run();
        while (!operations.isEmpty()) {
            operations.removeFirst().run();
            simulation.run();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "knfsd-v3, 95",
        "sizes-v3, 95",
        "knfsd-v4.1, 95",
        "knfsd-v4.2, 95",
        "sizes-v4.1, 95",
        "recall-v4.1, 60",
    })
    void capturedCalls_sentToTheRealPrograms_areAnsweredAsALinuxClientTakesIt(String capture, int percentAlike)
            throws Exception {
        PayloadPool pool = new PayloadPool(64 << 20, 2 << 20);
        ServerConfig config = config();
        try (Backends backends = Backends.none(config, WarpServer.plan(config, ServerLimits.DEFAULT), null, null);
                Programs programs = new Programs(
                        backends.open(),
                        new byte[16],
                        pool,
                        config,
                        ServerLimits.DEFAULT,
                        NlmLimits.DEFAULT,
                        null,
                        null,
                        CallbackDialer.NONE,
                        PeerCalls.NONE,
                        CallRecorder.NONE)) {
            RpcRdmaService service = RpcRdmaService.unwatched(
                    programs.overTcp(), operations::add, pool, ResponderOptions.DEFAULT, programs::connectionClosed);
            simulation.listen(SERVER, service);
            Replay replay = new Replay(mountRoot());
            for (CapturedSends.Connection connection : CapturedSends.load(capture)) {
                replay.run(connection);
            }
            assertThat(replay.answered).isGreaterThan(10);
            assertThat(replay.alike * 100 / replay.compared)
                    .as("percent of %d that end as with knfsd; the others: %s", replay.compared, replay.different)
                    .isGreaterThanOrEqualTo(percentAlike);
            service.close();
            settle();
            assertThat(simulation.internalErrors()).isEmpty();
            assertThat(pool.lentBytes()).isZero();
            assertThat(service.statistics().get(Counter.SYSTEM_ERRORS)).isZero();
            assertThat(service.statistics().get(Counter.GARBAGE_ARGS)).isZero();
        }
    }

    /** A client that does not ask rpcbind finds no lock manager either. */
    @ParameterizedTest
    @EnumSource(DataPath.OnOff.class)
    void nlm_switchedOff_isNotServed(DataPath.OnOff nlm) throws Exception {
        ServerConfig config = config().withDataPath(DataPath.DEFAULTS.withNlm(nlm));
        try (Backends backends = Backends.none(config, WarpServer.plan(config, ServerLimits.DEFAULT), null, null);
                Programs programs = new Programs(
                        backends.open(),
                        new byte[16],
                        new PayloadPool(64 << 20, 2 << 20),
                        config,
                        ServerLimits.DEFAULT,
                        NlmLimits.DEFAULT,
                        null,
                        null,
                        CallbackDialer.NONE,
                        PeerCalls.NONE,
                        CallRecorder.NONE)) {
            boolean isOn = nlm == DataPath.OnOff.ON;
            assertThat(programs.overTcp().containsKey(new OncRpcProgram(NlmProgram.PROGRAM, NlmProgram.VERSION)))
                    .isEqualTo(isOn);
            assertThat(programs.overTcp().containsKey(new OncRpcProgram(NsmProgram.PROGRAM, NsmProgram.VERSION)))
                    .isEqualTo(isOn);
        }
    }

    /** Returns the handle that MNT gives for the export. The call goes over RDMA, so that the test needs no socket. */
    private byte[] mountRoot() throws Exception {
        CapturedRequester requester = new CapturedRequester(simulation.connector(), SERVER);
        simulation.run();
        ByteBuffer call =
                NfsCall.of(1, NfsCall.MOUNT, 3, 1, 0).string("/").message().flatten();
        ByteBuffer reply = requester.call(RdmaMsg.class, call, this::settle);
        ByteBuffer results = reply.position(24);
        assertThat(results.getInt()).isZero();
        return NfsCall.opaque(results);
    }

    /** Sends the calls of one capture to this server. */
    private final class Replay {
        private final Translation translation;
        int answered;
        int compared;
        int alike;
        final Map<String, Integer> different = new HashMap<>();

        Replay(byte[] root) {
            translation = new Translation(root);
        }

        void run(CapturedSends.Connection connection) throws Exception {
            Map<Integer, ByteBuffer> captured = new HashMap<>();
            connection.replies().sends().forEach(reply -> captured.put(reply.getInt(0), reply));
            CapturedRequester requester = new CapturedRequester(simulation.connector(), SERVER);
            simulation.run();
            for (ByteBuffer send : connection.calls().sends()) {
                ByteBuffer rpc = send.duplicate();
                RpcRdmaHeader header = RpcRdmaHeader.parse(rpc, HeaderLimits.DEFAULT);
                if (!(header instanceof RdmaMsg msg) || rpc.getInt(rpc.position() + 4) != 0) {
                    // The body of a long call is not in the capture, and a reply belongs to a call of knfsd.
                    continue;
                }
                Translation.Call call = translation.call(rpc.slice());
                ByteBuffer reply = requester.call(msg, call, CapturedCallsTest.this::settle);
                answered++;
                compare(rpc.slice(), reply, captured((int) msg.xid(), connection.replies(), captured));
            }
        }

        /**
         * Returns the whole RPC reply of the capture, inline or from the Reply chunk; empty if the capture does not
         * have it.
         */
        private ByteBuffer captured(int xid, CapturedSends.Direction replies, Map<Integer, ByteBuffer> sends)
                throws Exception {
            ByteBuffer send = sends.getOrDefault(xid, ByteBuffer.allocate(0)).duplicate();
            if (!send.hasRemaining()) {
                return send;
            }
            if (RpcRdmaHeader.parse(send, HeaderLimits.DEFAULT) instanceof RdmaNomsg nomsg) {
                ByteBuffer whole = ByteBuffer.allocate(
                        (int) nomsg.lists().replyChunk().orElseThrow().lengthBytes());
                for (RdmaSegment segment :
                        nomsg.lists().replyChunk().orElseThrow().segments()) {
                    whole.put(replies.written(segment.handle(), segment.offset(), (int) segment.lengthBytes()));
                }
                return whole.flip();
            }
            return send.slice();
        }

        private void compare(ByteBuffer call, ByteBuffer reply, ByteBuffer theirs) {
            if (theirs.remaining() < 28 || reply.remaining() < 28) {
                return;
            }
            translation.learn(call, theirs, reply);
            int status = reply.getInt(24);
            int expected = theirs.getInt(24);
            compared++;
            if (status == expected) {
                alike++;
            } else {
                different.merge("procedure " + call.getInt(20) + ": " + status + " for " + expected, 1, Integer::sum);
            }
        }
    }
}
