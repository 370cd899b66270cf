package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.nfs.idmap.CertificateUsers;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.config.TlsChoice;
import org.warpnfs.testkit.CapturedTls;
import org.warpnfs.testkit.TlsFiles;

/**
 * Repeats what a Linux 7.3 client said to knfsd with {@code xprtsec=tls} and {@code mtls}: its probe and its
 * ClientHello as they were, and the calls inside with this server's handles and IDs in place of knfsd's.
 */
@Timeout(120)
class CapturedTlsCallsTest {
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int REPLY = 1;
    private static final int REPLY_HEADER_BYTES = 24;
    private static final int HANDSHAKE = 22;
    private static final int SERVER_HELLO = 2;
    private static final int SESSION_ID_OFFSET = 43;
    private static final int NOTSUPP = 10004;
    private static final int BAD_STATEID = 10025;

    @TempDir
    private Path directory;

    private WarpServer start(String protection) throws Exception {
        TlsChoice tls = new TlsChoice(
                TlsFiles.copy(directory, "server.crt"),
                TlsFiles.copy(directory, "server.key"),
                TlsFiles.copy(directory, "authority.crt"),
                CertificateUsers.NONE);
        ServerConfig config =
                InMemory.config(":/,no_root_squash,insecure,xprtsec=" + protection, 64 << 20, Duration.ofSeconds(90));
        return WarpServer.start(config.withTls(tls));
    }

    /** The client looks for nothing but these bytes. */
    private static Socket probed(WarpServer server, CapturedTls captured) throws IOException {
        Socket socket =
                new Socket(server.tcpAddress().getAddress(), server.tcpAddress().getPort());
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(bytes(captured.probe()));
        int replyBytes = captured.probeReply().remaining();
        assertThat(socket.getInputStream().readNBytes(replyBytes)).isEqualTo(bytes(captured.probeReply()));
        return socket;
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(strings = {"tls-knfsd-v3", "tls-knfsd-v4.1", "mtls-knfsd-v4.1"})
    void clientHelloOfGnuTls_isAnsweredWithTls13(String capture) throws Exception {
        CapturedTls captured = CapturedTls.load(capture);
        try (WarpServer server = start("mtls");
                Socket socket = probed(server, captured)) {
            byte[] clientHello = bytes(captured.clientHello());
            socket.getOutputStream().write(clientHello);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertThat(in.readByte()).isEqualTo((byte) HANDSHAKE);
            assertThat(in.readShort()).isEqualTo((short) 0x0303);
            byte[] hello = new byte[in.readShort()];
            in.readFully(hello);

            assertThat(hello[0]).isEqualTo((byte) SERVER_HELLO);
            int sessionBytes = hello[SESSION_ID_OFFSET - 5];
            ByteBuffer rest = ByteBuffer.wrap(hello).position(SESSION_ID_OFFSET - 4 + sessionBytes);
            assertThat(hello).containsSequence(sessionIdOf(clientHello));
            assertThat(HexFormat.of().toHexDigits(rest.getShort())).as("suite").isIn("1301", "1302", "1303");
            assertThat(HexFormat.of().formatHex(hello))
                    .as("supported_versions: TLS 1.3")
                    .contains("002b00020304");
        }
    }

    private static byte[] sessionIdOf(byte[] clientHello) {
        byte[] id = new byte[clientHello[SESSION_ID_OFFSET]];
        ByteBuffer.wrap(clientHello).get(SESSION_ID_OFFSET + 1, id);
        return id;
    }

    /**
     * The calls that are answered otherwise are about delegations, which knfsd gave and this server does not give while
     * its CB_NULL is not answered: GET_DIR_DELEGATION, and a DELEGRETURN for each of the three.
     */
    @ParameterizedTest
    @CsvSource({
        "tls-knfsd-v3, tls, 25, ''",
        "tls-knfsd-v4.1, tls, 33, '797805f8 7b7805f8 7d7805f8 7f7805f8'",
        "mtls-knfsd-v4.1, mtls, 33, '1da28335 1fa28335 21a28335 23a28335'",
    })
    void callsOfTheClient_sentInsideTls_areAnsweredAsByKnfsd(
            String capture, String protection, int count, String aboutDelegations) throws Exception {
        CapturedTls captured = CapturedTls.load(capture);
        Map<Integer, ByteBuffer> ofKnfsd = new HashMap<>();
        captured.fromServer().forEach(reply -> ofKnfsd.put(reply.getInt(0), reply));
        SSLContext client = TlsFiles.client(protection.equals("mtls") ? "client" : null);
        List<String> different = new ArrayList<>();
        int compared = 0;
        try (WarpServer server = start(protection);
                Socket clear = probed(server, captured);
                SSLSocket secure = (SSLSocket) client.getSocketFactory().createSocket(clear, "server.lab", 1, true)) {
            secure.startHandshake();
            Translation translation = new Translation(rootOf(server));
            for (ByteBuffer call : captured.fromClient()) {
                ByteBuffer theirs = ofKnfsd.get(call.getInt(0));
                if (call.getInt(4) == REPLY || theirs == null) {
                    continue;
                }
                ByteBuffer ours = exchange(secure, translation.call(call).rpc());
                compared++;
                if (aboutDelegations.contains(HexFormat.of().toHexDigits(call.getInt(0)))) {
                    assertThat(ours.getInt(REPLY_HEADER_BYTES)).isIn(NOTSUPP, BAD_STATEID);
                } else {
                    different.addAll(differences(call, theirs, ours));
                }
                if (theirs.remaining() > REPLY_HEADER_BYTES) {
                    translation.learn(call, theirs, ours);
                }
            }
        }
        assertThat(compared).isEqualTo(count);
        assertThat(different).isEmpty();
    }

    private static byte[] rootOf(WarpServer server) throws IOException {
        ByteBuffer results = NfsCall.of(1, NfsCall.MOUNT, 3, 1, 0).string("/").overTcp(server.tcpAddress());
        assertThat(results.getInt()).as("MNT3_OK").isZero();
        return NfsCall.opaque(results);
    }

    private static void send(Socket socket, byte[] message) throws IOException {
        socket.getOutputStream()
                .write(ByteBuffer.allocate(4 + message.length)
                        .putInt(LAST_FRAGMENT | message.length)
                        .put(message)
                        .array());
    }

    /** Sends a call in one record, and returns the reply. A call of the server meanwhile is not answered. */
    private static ByteBuffer exchange(Socket socket, ByteBuffer call) throws IOException {
        send(socket, bytes(call));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        while (true) {
            byte[] reply = new byte[in.readInt() & ~LAST_FRAGMENT];
            in.readFully(reply);
            if (ByteBuffer.wrap(reply).getInt(4) == REPLY) {
                return ByteBuffer.wrap(reply);
            }
        }
    }

    /** The RPC header and the status of the reply; of a COMPOUND also how far it came; of a READ all data. */
    private static List<String> differences(ByteBuffer call, ByteBuffer theirs, ByteBuffer ours) {
        List<String> different = new ArrayList<>();
        String name = "version " + call.getInt(16) + " procedure " + call.getInt(20) + " xid " + call.getInt(0) + " ";
        boolean isCompound = call.getInt(12) == NfsCall.NFS && call.getInt(16) == 4 && call.getInt(20) == 1;
        int words = Math.min(theirs.remaining(), isCompound ? REPLY_HEADER_BYTES + 12 : REPLY_HEADER_BYTES + 4);
        for (int at = 0; at < words; at += 4) {
            if (at >= ours.remaining() || theirs.getInt(at) != ours.getInt(at)) {
                different.add(name + "word " + at / 4 + " of knfsd's " + theirs.getInt(at));
            }
        }
        if (theirs.remaining() > 40_000) {
            assertThat(ours.remaining())
                    .as(name + "data, status " + ours.getInt(24))
                    .isGreaterThan(40_000);
            byte[] data = new byte[40_000];
            byte[] read = new byte[40_000];
            theirs.get(theirs.limit() - data.length, data);
            ours.get(ours.limit() - read.length, read);
            assertThat(read).as(name + "data").isEqualTo(data);
        }
        return different;
    }
}
