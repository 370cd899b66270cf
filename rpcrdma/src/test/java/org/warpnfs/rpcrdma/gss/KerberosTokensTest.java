package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.ietf.jgss.GSSException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens of a context of each encryption type, read and made on the client's side by other code. */
class KerberosTokensTest {
    private static final int[] LENGTHS = {
        0, 1, 4, 15, 16, 17, 31, 32, 33, 4096, 65503, 65504, 65505, 65536, 131039, 131040, 131041, 1048576
    };

    private record Pair(SecurityContext server, ClientKeys client) {
        static Pair of(String name) throws Exception {
            byte[] token = HexFormat.of()
                    .parseHex(Files.readString(KerberosAcceptorTest.captured(name))
                            .strip());
            SecurityContext server = KerberosAcceptorTest.acceptor().begin();
            server.accept(token);
            return new Pair(server, ClientKeys.of(token, KerberosAcceptorTest.captured("server.keytab")));
        }
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(length).nextBytes(bytes);
        return bytes;
    }

    /** As a reply comes: a word, pieces on and off the heap, and empty ones. */
    private static List<ByteBuffer> pieces(byte[] message) {
        List<ByteBuffer> pieces = new ArrayList<>();
        pieces.add(ByteBuffer.allocate(0));
        int at = 0;
        for (int next = 4; at < message.length; next = next * 3 + 1) {
            int length = Math.min(next, message.length - at);
            pieces.add(
                    pieces.size() % 2 == 0
                            ? ByteBuffer.wrap(message, at, length)
                            : ByteBuffer.allocateDirect(length)
                                    .put(message, at, length)
                                    .flip());
            at += length;
        }
        return pieces;
    }

    @ParameterizedTest
    @ValueSource(strings = {"tok-aes128-sha1", "tok-aes256-sha1", "tok-aes128-sha256", "tok-aes256-sha384"})
    void message_ofAnyLengthInPieces_isWrapped_clientReadsIt(String name) throws Exception {
        Pair pair = Pair.of(name);
        for (int length : LENGTHS) {
            byte[] message = bytes(length);

            ByteBuffer out = pair.server().wrap(pieces(message), length, 12);

            assertThat(out.position()).isZero();
            assertThat(out.capacity() - out.limit()).as("room for padding").isBetween(0, 3);
            byte[] token = new byte[out.limit() - 12];
            out.get(12, token);
            assertThat(pair.client().unwrapOfServer(token))
                    .as("%d bytes", length)
                    .isEqualTo(message);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tok-aes128-sha1", "tok-aes256-sha1", "tok-aes128-sha256", "tok-aes256-sha384"})
    void tokenOfTheClient_extraBytesAndRotated_isUnwrapped(String name) throws Exception {
        Pair pair = Pair.of(name);
        for (int length : LENGTHS) {
            byte[] message = bytes(length);
            for (int rotation : new int[] {0, 1, 28, 0xffff}) {
                byte[] token = pair.client().wrapOfClient(message, rotation % 17, rotation);

                assertThat(pair.server().unwrap(token))
                        .as("%d bytes, rotated by %d", length, rotation)
                        .isEqualTo(ByteBuffer.wrap(message));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tok-aes256-sha1", "tok-aes256-sha384"})
    void tokenOfTheClient_cutOrChangedAnywhere_isRefused(String name) throws Exception {
        Pair pair = Pair.of(name);
        byte[] token = pair.client().wrapOfClient(bytes(50), 3, 5);
        for (int at = 0; at < token.length; at++) {
            byte[] changed = token.clone();
            changed[at] ^= 0x40;
            byte[] cut = Arrays.copyOf(token, at);

            if (at != 2) {
                assertThatThrownBy(() -> pair.server().unwrap(changed))
                        .as("byte %d", at)
                        .isInstanceOf(GSSException.class);
            }
            assertThatThrownBy(() -> pair.server().unwrap(cut))
                    .as("%d bytes", at)
                    .isInstanceOf(GSSException.class);
        }
    }

    /** Else an attacker could show a server its own tokens. */
    @Test
    void tokensOfTheServer_comeBack_areRefused() throws Exception {
        Pair pair = Pair.of("tok-aes256-sha1");
        byte[] message = bytes(40);
        ByteBuffer wrapped = pair.server().wrap(List.of(ByteBuffer.wrap(message)), message.length, 0);
        byte[] mic = pair.server().mic(message);

        byte[] token = new byte[wrapped.limit()];
        wrapped.get(token);

        assertThatThrownBy(() -> pair.server().unwrap(token))
                .isInstanceOf(GSSException.class)
                .hasMessageContaining("a token of the acceptor");
        assertThatThrownBy(() -> pair.server().verifyMic(mic, message))
                .isInstanceOf(GSSException.class)
                .hasMessageContaining("a token of the acceptor");
    }

    /** The token alone has the length of the message; the JDK allocates five to six times as much. */
    @ParameterizedTest
    @ValueSource(strings = {"tok-aes256-sha1", "tok-aes256-sha384"})
    void message_ofAMebibyte_isWrapped_takesTheMemoryOfItsToken(String name) throws Exception {
        Pair pair = Pair.of(name);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ByteBuffer message = ByteBuffer.allocateDirect(1 << 20);
        pair.server().wrap(List.of(message.duplicate()), 1 << 20, 0);
        long before = threads.getCurrentThreadAllocatedBytes();

        ByteBuffer out = pair.server().wrap(List.of(message.duplicate()), 1 << 20, 0);

        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(out.limit()).isGreaterThan(1 << 20);
        assertThat(allocated).isLessThan((1 << 20) + (256 << 10));
    }
}
