package org.warpnfs.server.rpcbind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.InetAddresses;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Calls to an rpcbind that may be hostile. */
class RecordExchangeTest {
    private static final Duration SOON = Duration.ofMillis(200);
    private static final Duration LATE = Duration.ofMinutes(1);
    private static final byte[] CALL = {1, 2, 3, 4};

    /**
     * Calls a server that reads one record, sends these words and, if {@code ends}, ends its direction of the
     * connection.
     */
    private static byte[] ask(Duration within, boolean ends, int... words) throws Exception {
        ByteBuffer answer = ByteBuffer.allocate(4 * words.length);
        for (int word : words) {
            answer.putInt(word);
        }
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            SocketAddress address = server.getLocalSocketAddress();
            Thread peer = Thread.ofVirtual().start(() -> answer(server, answer.array(), ends));
            try (RecordExchange exchange = RecordExchange.connect(address, within, LATE)) {
                return exchange.call(CALL);
            } finally {
                peer.join();
            }
        }
    }

    private static void answer(ServerSocket server, byte[] answer, boolean ends) {
        try (Socket socket = server.accept()) {
            new DataInputStream(socket.getInputStream()).readNBytes(8);
            socket.getOutputStream().write(answer);
            if (!ends) {
                // Wait until the other side closes the connection.
                assertThat(socket.getInputStream().read()).isNegative();
            }
        } catch (IOException e) {
            // The other side closed the connection first.
        }
    }

    @Test
    void reply_inFragments_isPutTogether() throws Exception {
        assertThat(ask(LATE, false, 4, 0x0102_0304, 1 << 31 | 4, 0x0506_0708)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    }

    @Test
    void reply_thatNeverComesOrNeverEnds_isGivenUp() {
        assertThatThrownBy(() -> ask(SOON, false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("in time");
        assertThatThrownBy(() -> ask(SOON, false, 1 << 31 | 8, 1)).hasMessageContaining("in time");
        assertThatThrownBy(() -> ask(LATE, true, 1 << 31 | 8, 1)).hasMessageContaining("closed");
        assertThatThrownBy(() -> ask(LATE, false, 0, 0)).hasMessageContaining("empty fragment");
        assertThatThrownBy(() -> ask(LATE, false, 1 << 31 | RecordExchange.MAX_REPLY_BYTES + 1))
                .hasMessageContaining("more than");
        assertThatThrownBy(() -> ask(LATE, false, -1)).hasMessageContaining("more than");
    }

    /** Twenty calls, each answered just in time, would delay the start of the server by a minute. */
    @Test
    void callsTogether_haveALimitOfTheirOwn() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RecordExchange exchange =
                        RecordExchange.connect(server.getLocalSocketAddress(), Duration.ofHours(1), SOON)) {
            for (int calls = 0; calls < 2; calls++) {
                assertThatThrownBy(() -> exchange.call(CALL))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("in time");
            }
        }
    }

    /** Any user may register any address of any host at rpcbind. */
    @Test
    void addressesOfOtherHosts_areNotConnectedTo() {
        for (String own : new String[] {"0.0.0.0", "::", "127.0.0.1", "::1"}) {
            assertThat(Registrations.isOfThisHost(InetAddresses.forString(own)))
                    .as(own)
                    .isTrue();
        }
        for (String other : new String[] {"192.0.2.1", "2001:db8::1"}) {
            assertThat(Registrations.isOfThisHost(InetAddresses.forString(other)))
                    .as(other)
                    .isFalse();
        }
    }

    @Test
    void reply_toAnotherCallOrDenied_isNone() {
        assertThatThrownBy(() -> reply(7, 8, 1, 0, 0, 0, 0)).hasMessageContaining("does not answer");
        assertThatThrownBy(() -> reply(7, 7, 1, 1, 0, 0, 0)).hasMessageContaining("denies");
        assertThatThrownBy(() -> reply(7, 7, 1, 0, 0, 0, 1)).hasMessageContaining("accept_stat 1");
        assertThatThrownBy(() -> reply(7, 7, 1, 0, 0, 500)).hasMessageContaining("500 bytes");
        assertThatThrownBy(() -> reply(7, 7, 1, 0)).hasMessageContaining("ends early");
        assertThatThrownBy(() -> reply(7, 7, 1, 0, 0, 0, 0, Integer.MAX_VALUE).string())
                .hasMessageContaining("2147483647 bytes");
    }

    private static RpcReplyMessage reply(int xid, int... words) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(4 * words.length);
        for (int word : words) {
            message.putInt(word);
        }
        return new RpcReplyMessage(message.array(), xid);
    }
}
