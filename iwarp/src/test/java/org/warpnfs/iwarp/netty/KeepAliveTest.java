package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.iwarp.verbs.ConnectionRequest;
import org.warpnfs.iwarp.verbs.Listener;

/** TCP probes peers that are silent. The tests read the timers of the sockets from Linux. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class KeepAliveTest {
    /** A revision 1 request without private data. */
    private static final byte[] REQUEST = "MPA ID Req Frame\0\1\0\0".getBytes(StandardCharsets.US_ASCII);

    private static final int TICKS_PER_SECOND = 100;
    private static final String RETRANSMISSION = "01";
    private static final String KEEPALIVE = "02";

    static Stream<Boolean> transports() {
        return Stream.of(false, true).filter(epoll -> !epoll || Epoll.isAvailable());
    }

    @ParameterizedTest
    @MethodSource("transports")
    void accepted_peerIsSilent_tcpLooksAfterItWithinAMinute(boolean epoll) throws Exception {
        try (IwarpTransport transport = new IwarpTransport(IwarpConfig.defaults(), epoll)) {
            CompletableFuture<ConnectionRequest> requested = new CompletableFuture<>();
            Listener listener =
                    transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), requested::complete);
            int port = listener.localAddress().getPort();
            try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), port)) {
                peer.getOutputStream().write(REQUEST);
                requested.get();
                String timer = timer(port, peer.getLocalPort());
                while (timer.startsWith(RETRANSMISSION)) {
                    timer = timer(port, peer.getLocalPort());
                }
                assertThat(timer).startsWith(KEEPALIVE + ":");
                long dueInTicks = Long.parseLong(timer.substring(timer.indexOf(':') + 1), 16);
                assertThat(dueInTicks).isBetween(1L, 60L * TICKS_PER_SECOND);
            }
        }
    }

    /** The timer of a connection that runs, and when it is due: the sixth column of /proc/net/tcp. */
    private static String timer(int localPort, int remotePort) throws IOException {
        for (String table : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] columns = line.trim().split("\\s+", -1);
                if (columns[1].endsWith(String.format(":%04X", localPort))
                        && columns[2].endsWith(String.format(":%04X", remotePort))) {
                    return columns[5];
                }
            }
        }
        throw new IOException("no connection from " + remotePort + " to " + localPort);
    }
}
