package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.idmap.CertificateUsers;
import org.warpnfs.server.config.Backend;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.ExportSpec;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.RdmaChoices;
import org.warpnfs.server.config.ServerConfig;
import org.warpnfs.server.config.TlsChoice;
import org.warpnfs.testkit.TlsFiles;

/** A whole server whose exports want TLS. */
@Timeout(120)
class TlsMountTest {
    private static final int MOUNT = 100_005;
    private static final int NFS = 100_003;
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int MNT = 1;
    private static final int GETATTR3 = 1;
    private static final int CREATE3 = 8;
    private static final int COMPOUND = 1;
    private static final int PUTROOTFH = 24;
    private static final int GETATTR4 = 9;
    private static final int NFS3ERR_ACCES = 13;
    private static final int NFS4ERR_WRONGSEC = 10_016;

    @TempDir
    private Path directory;

    private WarpServer start(@Nullable TlsChoice tls, String... exports) throws ConfigException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        List<ExportSpec> specs = new ArrayList<>();
        for (String export : exports) {
            specs.add(ExportSpec.parse(export));
        }
        return WarpServer.start(new ServerConfig(
                        specs,
                        Backend.MEMORY,
                        16 << 20,
                        any,
                        any,
                        null,
                        RdmaChoices.DEFAULT,
                        Duration.ofSeconds(5),
                        2,
                        16 << 20,
                        Duration.ofSeconds(5),
                        IdentityChoices.DEFAULT)
                .withTls(tls));
    }

    private TlsChoice tls(boolean asksClients) throws ConfigException {
        return new TlsChoice(
                TlsFiles.copy(directory, "server.crt"),
                TlsFiles.copy(directory, "server.key"),
                asksClients ? TlsFiles.copy(directory, "authority.crt") : null,
                asksClients ? TlsChoice.users("", List.of("Client.lab=4711:4712")) : CertificateUsers.NONE);
    }

    /** A client of one connection, in clear or inside TLS. */
    private static final class Client implements AutoCloseable {
        private final Socket clear;
        private Socket now;
        private int xid = 100;

        Client(WarpServer server, @Nullable SSLContext context) throws IOException {
            clear = new Socket(
                    server.tcpAddress().getAddress(), server.tcpAddress().getPort());
            clear.setSoTimeout(30_000);
            now = clear;
            if (context != null) {
                clear.getOutputStream()
                        .write(HexFormat.of()
                                .parseHex("80000028b6a4fa8a0000000000000002000186a30000000400000000"
                                        + "00000007000000000000000000000000"));
                assertThat(clear.getInputStream().readNBytes(36))
                        .contains("STARTTLS".getBytes(StandardCharsets.US_ASCII));
                SSLSocket secure = (SSLSocket) context.getSocketFactory().createSocket(clear, "server.lab", 1, true);
                secure.startHandshake();
                now = secure;
            }
        }

        /** Calls as uid 1000, and returns the results of a call that was accepted. */
        ByteBuffer call(int program, int version, int procedure, ByteBuffer arguments) throws IOException {
            ByteBuffer call = ByteBuffer.allocate(64 + arguments.remaining())
                    .putInt(LAST_FRAGMENT | (60 + arguments.remaining()))
                    .putInt(++xid)
                    .putInt(0)
                    .putInt(2)
                    .putInt(program)
                    .putInt(version)
                    .putInt(procedure)
                    .putInt(1)
                    .putInt(20)
                    .putInt(0)
                    .putInt(0)
                    .putInt(1000)
                    .putInt(1000)
                    .putInt(0)
                    .putLong(0)
                    .put(arguments);
            now.getOutputStream().write(call.array());
            now.getOutputStream().flush();
            DataInputStream in = new DataInputStream(now.getInputStream());
            byte[] reply = new byte[in.readInt() & ~LAST_FRAGMENT];
            in.readFully(reply);
            ByteBuffer results = ByteBuffer.wrap(reply);
            assertThat(List.of(
                            results.getInt(), results.getInt(), results.getInt(), results.getLong(), results.getInt()))
                    .containsExactly(xid, 1, 0, 0L, 0);
            return results;
        }

        byte[] mount(String path) throws IOException {
            byte[] name = path.getBytes(StandardCharsets.US_ASCII);
            ByteBuffer arguments = ByteBuffer.allocate(4 + (name.length + 3 & ~3))
                    .putInt(name.length)
                    .put(name)
                    .clear();
            ByteBuffer results = call(MOUNT, 3, MNT, arguments);
            assertThat(results.getInt()).as("MNT3_OK").isZero();
            byte[] handle = new byte[results.getInt()];
            results.get(handle);
            return handle;
        }

        private static ByteBuffer withHandle(byte[] handle, int moreBytes) {
            return ByteBuffer.allocate(4 + (handle.length + 3 & ~3) + moreBytes)
                    .putInt(handle.length)
                    .put(handle)
                    .position(4 + (handle.length + 3 & ~3));
        }

        int getattr(byte[] handle) throws IOException {
            return call(NFS, 3, GETATTR3, withHandle(handle, 0).flip()).getInt();
        }

        /** Creates a file and returns the user that owns it. */
        int create(byte[] handle) throws IOException {
            ByteBuffer results = call(
                    NFS,
                    3,
                    CREATE3,
                    withHandle(handle, 36)
                            .putInt(1)
                            .putInt('f' << 24)
                            .putInt(0)
                            .putLong(0)
                            .putLong(0)
                            .putLong(0)
                            .flip()
                            .limit(4 + (handle.length + 3 & ~3) + 36));
            assertThat(results.getInt()).as("NFS3_OK").isZero();
            results.getInt();
            int length = results.getInt();
            results.position(results.position() + (length + 3 & ~3));
            assertThat(results.getInt()).as("attributes follow").isEqualTo(1);
            results.position(results.position() + 12);
            return results.getInt();
        }

        int getattrOfRoot() throws IOException {
            ByteBuffer arguments = ByteBuffer.allocate(32)
                    .putInt(0)
                    .putInt(0)
                    .putInt(2)
                    .putInt(PUTROOTFH)
                    .putInt(GETATTR4)
                    .putInt(1)
                    .putInt(2)
                    .flip();
            return call(NFS, 4, COMPOUND, arguments).getInt();
        }

        @Override
        public void close() throws IOException {
            clear.close();
        }
    }

    @Test
    void exportThatWantsTls_overAConnectionInClear_isMountedAndThenRefused() throws Exception {
        try (WarpServer server = start(tls(false), ":/,xprtsec=tls,no_root_squash");
                Client clear = new Client(server, null);
                Client secure = new Client(server, TlsFiles.client(null))) {
            byte[] handle = clear.mount("/");
            assertThat(clear.getattr(handle)).isEqualTo(NFS3ERR_ACCES);
            assertThat(clear.getattrOfRoot()).isEqualTo(NFS4ERR_WRONGSEC);
            assertThat(secure.getattr(handle)).isZero();
            assertThat(secure.getattrOfRoot()).isZero();
            assertThat(server.counters()).containsEntry("tcp_tls_connections_open", 1L);
            assertThat(server.describe()).anySatisfy(line -> assertThat(line).contains("xprtsec=tls,port="));
        }
    }

    @Test
    void exportThatWantsCertificates_servesThoseWhoHaveOne_asTheUserOfTheirName() throws Exception {
        try (WarpServer server = start(tls(true), ":/,xprtsec=mtls,no_root_squash");
                Client nameless = new Client(server, TlsFiles.client(null));
                Client named = new Client(server, TlsFiles.client("client"))) {
            byte[] handle = nameless.mount("/");
            assertThat(nameless.getattr(handle)).isEqualTo(NFS3ERR_ACCES);
            assertThat(nameless.getattrOfRoot()).isEqualTo(NFS4ERR_WRONGSEC);
            assertThat(named.getattr(handle)).isZero();
            assertThat(named.getattrOfRoot()).isZero();
            assertThat(named.create(handle)).isEqualTo(4711);
        }
    }

    @Test
    void reload_changedFiles_areForNewConnections() throws Exception {
        TlsChoice choice = tls(false);
        try (WarpServer server = start(choice, ":/,xprtsec=tls");
                Client old = new Client(server, TlsFiles.client(null))) {
            byte[] handle = old.mount("/");
            List<ExportSpec> exports = List.of(ExportSpec.parse(":/,xprtsec=tls"));
            Files.delete(choice.key());
            assertThatThrownBy(() -> server.reload(exports, IdentityChoices.DEFAULT))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("server.key: there is no such file");
            replace("server2.key", choice.key());
            assertThatThrownBy(() -> server.reload(exports, IdentityChoices.DEFAULT))
                    .hasMessageContaining("not the key of the first certificate");
            replace("server2.crt", choice.certificate());
            server.reload(exports, IdentityChoices.DEFAULT);
            assertThat(old.getattr(handle)).isZero();
            try (Client fresh = new Client(server, TlsFiles.client(null))) {
                assertThat(((SSLSocket) fresh.now).getSession().getPeerCertificates()[0])
                        .isEqualTo(TlsFiles.certificate("server2"));
                assertThat(fresh.getattr(handle)).isZero();
            }
        }
    }

    /** New connections too get the old one, by the administrator's reload as well as by the server's own look. */
    @Test
    void reload_brokenOrExpiredFiles_leaveTheOldCertificateToNewConnections() throws Exception {
        TlsChoice choice = tls(false);
        List<ExportSpec> exports = List.of(ExportSpec.parse(":/,xprtsec=tls"));
        try (WarpServer server = start(choice, ":/,xprtsec=tls")) {
            Files.writeString(choice.certificate(), "no certificate");
            assertThatThrownBy(() -> server.reload(exports, IdentityChoices.DEFAULT))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("server.crt");
            requireCertificate(server, "server");

            replace("expired-server.crt", choice.certificate());
            replace("expired-server.key", choice.key());
            assertThatThrownBy(() -> server.reload(exports, IdentityChoices.DEFAULT))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("expired at ")
                    .hasMessageContaining("the certificate in use is valid");
            requireCertificate(server, "server");

            replace("server2.crt", choice.certificate());
            replace("server2.key", choice.key());
            server.reload(exports, IdentityChoices.DEFAULT);
            requireCertificate(server, "server2");
        }
    }

    private static void requireCertificate(WarpServer server, String name) throws Exception {
        try (Client fresh = new Client(server, TlsFiles.client(null))) {
            assertThat(((SSLSocket) fresh.now).getSession().getPeerCertificates()[0])
                    .isEqualTo(TlsFiles.certificate(name));
            assertThat(fresh.mount("/")).isNotEmpty();
        }
    }

    private void replace(String name, Path file) throws IOException {
        Files.move(TlsFiles.copy(directory, name), file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void exportThatNobodyCouldUse_isAMistake() throws Exception {
        assertThatThrownBy(() -> start(null, ":/,xprtsec=tls:mtls").close())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("needs --tls-certificate");
        TlsChoice withoutClients = tls(false);
        assertThatThrownBy(() -> start(withoutClients, ":/,xprtsec=mtls").close())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("needs --tls-client-ca");
    }
}
