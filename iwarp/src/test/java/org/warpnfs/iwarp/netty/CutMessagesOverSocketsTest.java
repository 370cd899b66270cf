package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.Listener;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * Messages of RFC 7306 over a TCP connection, with a peer that writes bytes by hand. Ours have one segment each; the
 * peer's are cut, and each of their octets is a TCP segment of its own.
 */
class CutMessagesOverSocketsTest {
    private static final int PATIENCE_SECONDS = 60;
    private static final ConnectOptions OPTIONS =
            new ConnectOptions(ByteBuffer.allocate(0), 4, 4).with(RdmaExtension.values());
    private static final String REQUEST = "4d504120494420526571204672616d65" + "1002" + "0004" + "00040004";
    private static final int REPLY_BYTES = 24;

    private final ByteBuffer memory =
            ByteBuffer.allocateDirect(24).alignedSlice(8).limit(16).slice().order(ByteOrder.nativeOrder());
    private final CompletableFuture<MemoryRegion> region = new CompletableFuture<>();
    private final CompletableFuture<QueuePair> established = new CompletableFuture<>();
    private final BlockingQueue<Completion> completions = new LinkedBlockingQueue<>();

    private final QueuePairHandler handler = new QueuePairHandler() {
        @Override
        public void created(QueuePair queuePair) {
            queuePair.postReceive(100, ByteBuffer.allocate(8));
            queuePair.postReceive(101, ByteBuffer.allocate(8));
            region.complete(queuePair.register(memory, EnumSet.of(AccessRight.REMOTE_ATOMIC)));
        }

        @Override
        public void established(QueuePair queuePair) {
            established.complete(queuePair);
        }

        @Override
        public void completed(QueuePair queuePair, Completion completion) {
            completions.add(completion);
        }

        @Override
        public void disconnected(QueuePair queuePair, DisconnectReason reason) {}
    };

    private static void write(Socket socket, String hex) throws IOException {
        for (byte octet : HexFormat.of().parseHex(hex)) {
            socket.getOutputStream().write(octet);
        }
    }

    /** Frames a ULPDU without CRC. */
    private static String fpdu(String ulpdu) {
        int bytes = ulpdu.length() / 2;
        return String.format("%04x", bytes) + ulpdu + "00".repeat(-(2 + bytes) & 3) + "00000000";
    }

    /** Sends an untagged message in segments of so many octets, the last of which may be shorter. */
    private static void writeCut(Socket socket, String opcode, String queueAndMsn, String body, int octets)
            throws IOException {
        int bytes = body.length() / 2;
        for (int at = 0; at < bytes; at += octets) {
            int end = Math.min(bytes, at + octets);
            write(
                    socket,
                    fpdu((end == bytes ? "41" : "01") + opcode + "00000000" + queueAndMsn + String.format("%08x", at)
                            + body.substring(2 * at, 2 * end)));
        }
    }

    /** The next FPDU, which has to be these bytes. */
    private static void expect(Socket socket, String ulpdu) throws IOException {
        byte[] wanted = HexFormat.of().parseHex(fpdu(ulpdu));
        byte[] read = socket.getInputStream().readNBytes(wanted.length);
        // The CRC is not in use, and its field is not looked at.
        assertThat(HexFormat.of().formatHex(Arrays.copyOf(read, read.length - 4)))
                .isEqualTo(HexFormat.of().formatHex(Arrays.copyOf(wanted, wanted.length - 4)));
    }

    private Completion completion() throws InterruptedException {
        Completion completion = completions.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(completion).isNotNull();
        assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
        return completion;
    }

    @Test
    void messagesOfBothEnds_oursAreOneSegment_thePeersAreTakenInAnyCut() throws Exception {
        try (IwarpTransport transport = new IwarpTransport()) {
            Listener listener = transport.listen(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    request -> request.accept(OPTIONS, handler));
            try (Socket peer = new Socket(
                    InetAddress.getLoopbackAddress(), listener.localAddress().getPort())) {
                peer.setTcpNoDelay(true);
                peer.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
                write(peer, REQUEST);
                assertThat(peer.getInputStream().readNBytes(REPLY_BYTES)).hasSize(REPLY_BYTES);

                writeCut(peer, "48", "00000000" + "00000001", "0102030405060708", 3);
                Completion.ReceivedImmediate received = (Completion.ReceivedImmediate) completion();
                assertThat(received.data()).isEqualTo(0x0102030405060708L);

                String stag = String.format(
                        "%08x", region.get(PATIENCE_SECONDS, TimeUnit.SECONDS).stag());
                String add = "00000000" + "0a0b0c0d" + stag + "0000000000000008" + "0000000000000011"
                        + "0000000000000000" + "0000000000000000" + "ffffffffffffffff";
                String originals = "0000000000000000" + "0000000000000011" + "0000000000000022";
                int[] octets = {1, 7, 51};
                for (int i = 0; i < octets.length; i++) {
                    String msn = String.format("%08x", i + 1);
                    writeCut(peer, "4a", "00000001" + msn, add, octets[i]);
                    expect(
                            peer,
                            "414b00000000" + "00000003" + msn + "00000000" + "0a0b0c0d"
                                    + originals.substring(16 * i, 16 * i + 16));
                }

                QueuePair queuePair = established.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                queuePair.execute(() -> {
                    queuePair.post(new WorkRequest.FetchAdd(1, new RemoteMemory(0x77, 0x1000), MaskedWord.addend(5)));
                    queuePair.post(new WorkRequest.ImmediateData(2, 0x0807060504030201L, true));
                    queuePair.flush();
                });
                expect(
                        peer,
                        "414a00000000" + "00000001" + "00000001" + "00000000" + "00000000" + "00000000" + "00000077"
                                + "0000000000001000" + "0000000000000005" + "0000000000000000" + "0000000000000000"
                                + "ffffffffffffffff");
                expect(peer, "414900000000" + "00000000" + "00000001" + "00000000" + "0807060504030201");
                writeCut(peer, "4b", "00000003" + "00000001", "00000000" + "00000000000000f0", 5);
                assertThat(completion()).isEqualTo(new Completion.AtomicDone(1, CompletionStatus.SUCCESS, 0xf0));
                assertThat(completion()).isEqualTo(new Completion.ImmediateSent(2, CompletionStatus.SUCCESS));
            }
        }
    }
}
