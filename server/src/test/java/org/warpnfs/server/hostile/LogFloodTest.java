package org.warpnfs.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.rpcrdma.udp.UdpListener;
import org.warpnfs.rpcrdma.udp.UdpOptions;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.log.Written;

/**
 * Checks the log under attack. The number of lines of each kind in a minute is bounded, whatever hostile peers send.
 * Each message stays on one line, and JSON stays valid.
 */
@Timeout(300)
class LogFloodTest {
    private static final int SIZE_BYTES = 64 << 20;
    private static final long SEED = 7;
    private static final int PEERS = 3;
    /** The allowed lines of one kind in a minute. The attacks use fewer addresses than that. */
    private static final int ADDRESSES = 64;

    private static final List<Attack.Worst> WORST = List.of(
            TcpAttack.REPLIES_TO_NO_CALL::begin,
            TcpAttack.GARBAGE::begin,
            TcpAttack.GARBAGE_CALLS::begin,
            TcpAttack.EMPTY_FRAGMENTS::begin,
            TcpAttack.FRAGMENTS_OF_ONE_BYTE::begin,
            TcpAttack.CHURN::begin,
            RdmaAttack.GARBAGE_BEFORE_MPA::begin,
            RdmaAttack.GARBAGE_FPDUS::begin,
            RdmaAttack.GARBAGE_CALLS::begin,
            RdmaAttack.HEADERS_WITHOUT_SENSE::begin,
            RdmaAttack.CALLS_BEYOND_CREDITS::begin,
            RdmaAttack.CHURN::begin,
            LogFloodTest::namesThatForgeLines);

    /**
     * Sends MOUNT with a path that contains a forged log line and up to 1000 random bytes. The server refuses most of
     * them.
     */
    private static void namesThatForgeLines(Attack attack, Target target, Random random) throws Exception {
        AtomicInteger xid = new AtomicInteger();
        attack.repeat(PEERS, 60, () -> {
            int call = xid.incrementAndGet();
            byte[] name = new byte[1 + random.nextInt(1000)];
            random.nextBytes(name);
            ByteArrayOutputStream path = new ByteArrayOutputStream();
            path.writeBytes("/\n2026-01-01 ERROR forged\r\u001b[2J\"},{".getBytes(StandardCharsets.UTF_8));
            path.writeBytes(name);
            try (Wire wire = Wire.connect(target.tcp(), 1 + call % PEERS)) {
                wire.push(TcpAttack.record(
                        Target.flat(NfsCall.of(call, NfsCall.MOUNT, 3, 1, 0).opaque(path.toByteArray()))));
                // Wait for the header of the reply: by then the server has written the line.
                wire.await(ByteBuffer.allocate(8));
            }
        });
    }

    @Test
    void peersAtTheirWorst_writeABoundedNumberOfLines() throws Exception {
        long begin = System.nanoTime();
        try (Written lines = new Written();
                WarpServer server = WarpServer.start(InMemory.config(":/", SIZE_BYTES, Duration.ofSeconds(90)))) {
            Target target = Target.prepare(server);
            for (Attack.Worst worst : WORST) {
                try (Attack attack = new Attack(worst)) {
                    attack.begin(target, new Random(SEED));
                }
            }
            int minutes = (int) (1 + (System.nanoTime() - begin) / 60_000_000_000L);
            Map<String, Long> kinds =
                    lines.kinds().stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
            assertThat(kinds).isNotEmpty().allSatisfy((kind, count) -> assertThat(count)
                    .as(kind)
                    .isLessThanOrEqualTo((long) ADDRESSES * minutes));
            assertThat(kinds.keySet()).anyMatch(kind -> kind.contains("may not mount"));
            assertThat(kinds.keySet()).anyMatch(kind -> kind.contains("overran"));
            assertThat(lines.text()).doesNotContain("\u001b", "\r").doesNotContain("\n2026-01-01 ERROR forged");
            assertThat(lines.text()).containsPattern("overran its .* credits .*\\[XID [0-9a-f]+\\]");
            assertThat(lines.text()).containsPattern("may not mount .*\\[XID [0-9a-f]+, mount 3 MNT\\]");
            ObjectMapper json = new ObjectMapper();
            List<String> broken = new ArrayList<>();
            for (String line : lines.json().lines().toList()) {
                if (!json.readTree(line).has("formattedMessage")) {
                    broken.add(line);
                }
            }
            assertThat(broken).isEmpty();
        }
    }

    /** Datagrams from many forged sources share one line, so a sender cannot cause a line with each. */
    @Test
    void datagramsFromAnywhere_writeOneLine() throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        long begin = System.nanoTime();
        try (Written lines = new Written();
                UdpListener udp = UdpListener.bind(any, UdpOptions.DEFAULT, connection -> {
                    throw new AssertionError("no datagram is a call");
                })) {
            for (int peer = 1; peer <= PEERS * PEERS; peer++) {
                try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(Wire.peerAddress(peer), 0))) {
                    long before = udp.dropped();
                    while (udp.dropped() == before) {
                        socket.send(new DatagramPacket(new byte[7], 7, udp.localAddress()));
                        Thread.onSpinWait();
                    }
                }
            }
            int minutes = (int) (1 + (System.nanoTime() - begin) / 60_000_000_000L);
            assertThat(lines.messages()).hasSizeBetween(1, minutes);
            assertThat(lines.messages().getFirst()).contains("a datagram was dropped: no RPC message");
        }
    }
}
