package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.ietf.jgss.GSSException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.rpcrdma.message.XdrStream;

/** Tokens and calls of a Linux client, and the answers of knfsd. */
class KerberosAcceptorTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final String INITIATOR = "nfs/client.lab@LAB.TEST";

    private static KerberosAcceptor acceptor;

    @BeforeAll
    static void openKeytab() throws Exception {
        var _ = acceptor();
    }

    static synchronized KerberosAcceptor acceptor() throws Exception {
        if (acceptor != null) {
            return acceptor;
        }
        System.setProperty("java.security.krb5.conf", captured("krb5.conf").toString());
        // A test may accept a token that another one has accepted.
        System.setProperty("sun.security.krb5.rcache", "none");
        acceptor = KerberosAcceptor.open(captured("server.keytab"), "*", "nfs", "LAB.TEST");
        return acceptor;
    }

    static Path captured(String name) throws URISyntaxException {
        return Path.of(Objects.requireNonNull(KerberosAcceptorTest.class.getResource(name))
                .toURI());
    }

    private static byte[] token(String name) throws IOException, URISyntaxException {
        return HEX.parseHex(Files.readString(captured(name)).strip());
    }

    @ParameterizedTest
    @ValueSource(strings = {"tok-aes128-sha1", "tok-aes256-sha1", "tok-aes128-sha256", "tok-aes256-sha384"})
    void tokenOfRpcGssd_isAccepted_establishesTheContextOfItsOwner(String name) throws Exception {
        SecurityContext context = acceptor.begin();

        byte[] answer = context.accept(token(name));

        assertThat(context.isEstablished()).isTrue();
        assertThat(answer).isEmpty();
        assertThat(context.initiator()).endsWith("@LAB.TEST");
    }

    /** The end of the ticket is as tshark decrypts it from the same capture. */
    @Test
    void tokenOfATicket_isAccepted_hasWhatIsLeftOfIt() throws Exception {
        Instant now = Instant.parse("2026-11-22T10:00:00Z");
        KerberosAcceptor then =
                KerberosAcceptor.open(captured("server.keytab"), "*", "nfs", "LAB.TEST", InstantSource.fixed(now));
        SecurityContext context = then.begin();
        assertThat(context.remaining()).isNull();

        context.accept(token("tok-chain"));

        assertThat(context.remaining()).isEqualTo(Duration.between(now, Instant.parse("2026-11-23T09:55:18Z")));
    }

    /** The JDK has no camellia. A client then gets gss_major, and its next context has another key. */
    @Test
    void tokenWithAKeyThatTheJdkLacks_isAccepted_fails() throws Exception {
        SecurityContext context = acceptor.begin();

        assertThatThrownBy(() -> context.accept(token("tok-camellia256"))).isInstanceOf(GSSException.class);
    }

    @Test
    void tokenThatIsCut_isAccepted_fails() throws Exception {
        byte[] whole = token("tok-chain");
        for (int length = 0; length < whole.length; length += 7) {
            byte[] cut = Arrays.copyOf(whole, length);
            SecurityContext context = acceptor.begin();

            assertThatThrownBy(() -> context.accept(cut)).as("%d bytes", length).isInstanceOf(GSSException.class);
        }
    }

    @Test
    void tokenForAnotherServiceOfTheKeytab_isAccepted_fails() throws Exception {
        KerberosAcceptor other = KerberosAcceptor.open(captured("server.keytab"), "*", "cifs", "LAB.TEST");

        SecurityContext context = other.begin();

        assertThatThrownBy(() -> context.accept(token("tok-chain")))
                .isInstanceOf(GSSException.class)
                .hasMessageContaining("nfs/server.lab@LAB.TEST");
    }

    @Test
    void callOfALinuxClient_isOpened_hasTheNumberAndTheArgumentsOfItsSender() throws Exception {
        Captured captured = Captured.read();
        SecurityContext context = captured.context();

        CallHeader header = CallHeader.read(captured.call());
        context.verifyMic(header.verifier(), header.covered());
        XdrStream call = captured.call();
        call.skip(captured.headBytes());
        ByteBuffer open =
                ProtectedBody.open(call, GssService.PRIVACY, header.credential().sequence(), context);

        assertThat(header.credential().procedure()).isEqualTo(GssProcedure.DATA);
        assertThat(header.credential().service()).isEqualTo(GssService.PRIVACY);
        // The number, an empty tag, minor version 1, four operations, the first of them SEQUENCE.
        byte[] first = new byte[20];
        open.get(first);
        assertThat(HEX.formatHex(first)).isEqualTo("0000000100000000000000010000000400000035");
    }

    @Test
    void replyToALinuxClient_isVerified_hasTheVerifierOfKnfsd() throws Exception {
        Captured captured = Captured.read();
        SecurityContext context = captured.context();

        // knfsd has sent one checksum before, that of its window.
        context.mic(ByteBuffer.allocate(4).putInt(128).array());
        byte[] verifier = context.mic(ByteBuffer.allocate(4).putInt(1).array());

        assertThat(HEX.formatHex(verifier)).isEqualTo(HEX.formatHex(captured.replyVerifier));
    }

    @Test
    void callWithAnyByteChanged_isOpened_isRefused() throws Exception {
        Captured captured = Captured.read();
        SecurityContext context = captured.context();
        for (int at = 0; at < captured.header.length; at++) {
            byte[] changed = captured.header.clone();
            changed[at] ^= 1;

            assertThatThrownBy(() -> context.verifyMic(captured.verifier, changed))
                    .isInstanceOf(GSSException.class);
        }
        for (int at = 0; at < captured.body.length; at++) {
            byte[] changed = captured.body.clone();
            changed[at] ^= 1;

            assertThatThrownBy(() -> context.unwrap(changed)).as("byte %d", at).isInstanceOf(GSSException.class);
        }
    }

    private static final class Captured {
        private final byte[] header;
        private final byte[] verifier;
        private final byte[] body;
        private final byte[] replyVerifier;

        Captured(List<byte[]> lines) {
            header = lines.get(0);
            verifier = lines.get(1);
            body = lines.get(2);
            replyVerifier = lines.get(3);
        }

        static Captured read() throws Exception {
            List<byte[]> lines = Files.readAllLines(captured("call-krb5p")).stream()
                    .map(HEX::parseHex)
                    .toList();
            return new Captured(lines);
        }

        SecurityContext context() throws Exception {
            SecurityContext context = acceptor.begin();
            assertThat(context.accept(token("tok-chain"))).isEmpty();
            assertThat(context.initiator()).isEqualTo(INITIATOR);
            return context;
        }

        int headBytes() {
            return header.length + 2 * Integer.BYTES + verifier.length;
        }

        XdrStream call() {
            ByteBuffer call = ByteBuffer.allocate(headBytes() + Integer.BYTES + XdrStream.roundUp(body.length));
            call.put(header).putInt(6);
            InitResult.putOpaque(call, verifier);
            InitResult.putOpaque(call, body);
            return XdrStream.of(call.flip());
        }
    }
}
