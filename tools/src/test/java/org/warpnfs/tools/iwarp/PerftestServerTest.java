package org.warpnfs.tools.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.limits.FpduSize;

/** Tests our perftest server with a client of several connections that sends the bytes of siw. */
@Timeout(60)
class PerftestServerTest {
    private static final HexFormat HEX = HexFormat.of();
    /** Captured from {@code ib_send_bw -R}: revision 2, no RDMA Reads in either direction. */
    private static final byte[] MPA_REQUEST =
            HEX.parseHex("4d504120494420526571204672616d65" + "10020004" + "00000000");
    /** The reply's header, limits on RDMA Reads and "warpnfs fence". */
    private static final int MPA_REPLY_BYTES = 20 + 4 + 13;
    /** A Send of five bytes, the first of its connection. */
    private static final byte[] SEND = HEX.parseHex(
            "00174143" + "00000000" + "00000000" + "00000001" + "00000000" + "52444d4121" + "000000" + "489124f5");

    private static final int CREDIT_FPDU_BYTES = 24;
    private static final int LOADS = 16;
    private static final int SILENCE_MILLIS = 20_000;
    private static final long STAG = 0xafa1a200L;
    private static final long TAGGED_OFFSET = 0x55f5_a519_a71cL;

    private static ByteBuffer exchange(PerftestControl control, QueuePair queuePair, ByteBuffer message)
            throws Exception {
        return control.exchange(queuePair, message).get(20, TimeUnit.SECONDS);
    }

    private static PerftestDestination destination(int load) {
        return new PerftestDestination(1, new RemoteMemory(STAG, TAGGED_OFFSET + 4L * load));
    }

    /**
     * Reproduces a hang of {@code ib_send_bw -q 3} under load. The server learnt of the third of three connection
     * requests before the second. The second connection's credits then went to the third's counter. A connection that
     * had sent fewer messages than that never sent again.
     */
    @Test
    void clientWithManyLoads_eachSendsOnce_eachGetsItsOwnCredit() throws Exception {
        MpaChoices mpa = MpaChoices.defaults();
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        List<Socket> loads = new ArrayList<>();
        try (TestServer server = TestServer.start(
                        new ServerPlan(TestKind.SEND_BW, anyPort, 8192, 512, true, null, 20, mpa, FpduSize.MSS),
                        line -> {});
                IwarpTransport transport = TestTransport.open(mpa, FpduSize.MSS)) {
            PerftestControl control = new PerftestControl();
            transport
                    .connector()
                    .connect(server.localAddress(), new ConnectOptions(ByteBuffer.allocate(0), 0, 0), control);
            QueuePair queuePair = control.established().get(20, TimeUnit.SECONDS);
            for (int number = 0; number < PerftestGreeting.MESSAGES; number++) {
                exchange(control, queuePair, PerftestGreeting.message(number));
            }
            exchange(control, queuePair, PerftestDestination.NONE.encode());
            for (int load = 0; load < LOADS; load++) {
                Socket socket = new Socket(
                        server.localAddress().getAddress(),
                        server.localAddress().getPort());
                loads.add(socket);
                socket.setSoTimeout(SILENCE_MILLIS);
                socket.getOutputStream().write(MPA_REQUEST);
            }
            for (Socket load : loads) {
                assertThat(load.getInputStream().readNBytes(MPA_REPLY_BYTES)).hasSize(MPA_REPLY_BYTES);
            }
            exchange(control, queuePair, PerftestDestination.NONE.encode());
            for (int load = 0; load < LOADS; load++) {
                exchange(control, queuePair, destination(load).encode());
            }
            for (int load = LOADS - 1; load >= 0; load--) {
                loads.get(load).getOutputStream().write(SEND);
                byte[] credit = loads.get(load).getInputStream().readNBytes(CREDIT_FPDU_BYTES);
                assertThat(HEX.formatHex(credit))
                        .as("of load %d", load)
                        .isEqualTo("0012c140" + "afa1a200" + String.format("%016x", TAGGED_OFFSET + 4L * load)
                                + "01000000" + "00000000");
            }
        } finally {
            for (Socket load : loads) {
                load.close();
            }
        }
    }
}
