package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NullCallTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @Test
    void server_thatServes_answers() throws Exception {
        try (WarpServer server = WarpServer.start(InMemory.config(":/", 64 << 20, Duration.ofSeconds(90)))) {
            assertThatCode(() -> NullCall.ask(server.tcpAddress(), LONG)).doesNotThrowAnyException();
        }
    }

    @Test
    void server_thatTakesConnectionsAndAnswersNothing_isAFailureInTime() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> NullCall.ask(address(silent), Duration.ofMillis(50)))
                    .isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void server_thatAnswersSomethingElse_isAFailure() throws Exception {
        assertThatThrownBy(() -> askOneThatSays(new byte[28]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("NULL");
        assertThatThrownBy(() -> askOneThatSays(new byte[27])).isInstanceOf(EOFException.class);
    }

    private static void askOneThatSays(byte[] words) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread speaking = Thread.ofPlatform().start(() -> {
                try (Socket accepted = listener.accept()) {
                    accepted.getInputStream().readNBytes(44);
                    accepted.getOutputStream().write(words);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            try {
                NullCall.ask(address(listener), LONG);
            } finally {
                speaking.join();
            }
        }
    }

    private static InetSocketAddress address(ServerSocket socket) {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }
}
