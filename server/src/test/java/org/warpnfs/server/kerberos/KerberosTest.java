package org.warpnfs.server.kerberos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.nfs.idmap.MappedNames;
import org.warpnfs.nfs.idmap.StaticNames;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.IdentityChoices;
import org.warpnfs.server.config.KerberosChoice;
import org.warpnfs.server.config.ServerConfig;

/** A whole server with a keytab, a KDC, and a client that shares no code with the server. */
class KerberosTest {
    private static final int NFS = NfsCall.NFS;
    private static final int MOUNT = NfsCall.MOUNT;
    private static final int MNT = 1;
    private static final int GETATTR = 1;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int CREDPROBLEM = 13;
    private static final int CTXPROBLEM = 14;
    private static final int ACCES = 13;
    private static final int GARBAGE_ARGS = 4;
    private static final int NFS4_INVAL = 22;
    private static final int NFS4_WRONG_CRED = 10082;
    private static final int NFS4_REP_TOO_BIG = 10066;
    private static final int ALICE = 4242;
    /** Of a file, in NFSv3. */
    private static final int ATTRIBUTES_BYTES = 84;

    @TempDir
    static Path directory;

    private static TestRealm realm;
    private static WarpServer server;
    private static Subject alice;
    private static Subject stranger;
    private static Subject host;

    @BeforeAll
    static void start() throws Exception {
        realm = TestRealm.start(directory);
        alice = realm.login("alice@" + TestRealm.NAME);
        stranger = realm.login("stranger@" + TestRealm.NAME);
        host = realm.login("host/client.test@" + TestRealm.NAME);
        StaticNames map = new StaticNames(Map.of("alice@" + TestRealm.NAME, new StaticNames.Local.Id(ALICE)), Map.of());
        ServerConfig plain =
                InMemory.config(":/data,no_root_squash,sec=krb5p:krb5i:krb5", 32 << 20, Duration.ofSeconds(5));
        server = WarpServer.start(withIdentities(
                        plain, new IdentityChoices(false, new MappedNames.Choices(null, map, false), TestRealm.NAME))
                .withKerberos(new KerberosChoice(realm.serverKeytab(), KerberosChoice.ANY, TestRealm.NAME)));
    }

    private static ServerConfig withIdentities(ServerConfig plain, IdentityChoices identities) {
        return new ServerConfig(
                plain.exports(),
                plain.backend(),
                plain.memoryBytes(),
                plain.rdmaAddress(),
                plain.tcpAddress(),
                plain.stateDirectory(),
                plain.rdma(),
                plain.lease(),
                plain.operationThreads(),
                plain.payloadBytes(),
                plain.drain(),
                identities);
    }

    @AfterAll
    static void stop() throws Exception {
        if (server != null) {
            server.close();
        }
        if (realm != null) {
            realm.close();
        }
    }

    private static GssClient client(Subject user) throws Exception {
        GssClient client = new GssClient(server.tcpAddress(), TestRealm.initiate(user));
        assertThat(client.init(user)).isZero();
        return client;
    }

    private static byte[] bytes(Object... items) {
        ByteBuffer out = ByteBuffer.allocate(1 << 20);
        for (Object item : items) {
            switch (item) {
                case Integer word -> out.putInt(word);
                case Long hyper -> out.putLong(hyper);
                case byte[] opaque -> out.putInt(opaque.length).put(opaque).put(new byte[-opaque.length & 3]);
                case String text -> {
                    byte[] name = text.getBytes(StandardCharsets.UTF_8);
                    out.putInt(name.length).put(name).put(new byte[-name.length & 3]);
                }
                default -> throw new IllegalArgumentException(item.toString());
            }
        }
        byte[] exact = new byte[out.position()];
        out.flip().get(exact);
        return exact;
    }

    private static byte[] root(GssClient client, int service) throws Exception {
        ByteBuffer mounted = client.call(MOUNT, 3, MNT, service, bytes("/data"));
        assertThat(mounted.getInt()).isZero();
        byte[] root = GssClient.opaque(mounted);
        assertThat(mounted.getInt()).isEqualTo(3);
        assertThat(mounted.getInt()).isEqualTo(390005);
        assertThat(mounted.getInt()).isEqualTo(390004);
        assertThat(mounted.getInt()).isEqualTo(390003);
        return root;
    }

    /** Creates a file in a directory that only root may write to, and returns its handle. */
    private static byte[] create(GssClient client, int service, byte[] directory, String name) throws Exception {
        // UNCHECKED, with mode 0666 and nothing else.
        ByteBuffer created = client.call(NFS, 3, CREATE, service, bytes(directory, name, 0, 1, 0666, 0, 0, 0, 0, 0));
        assertThat(created.getInt()).isZero();
        assertThat(created.getInt()).isEqualTo(1);
        return GssClient.opaque(created);
    }

    private static int owner(GssClient client, int service, byte[] file) throws Exception {
        ByteBuffer got = client.call(NFS, 3, GETATTR, service, bytes(file));
        assertThat(got.getInt()).isZero();
        // After type, mode and number of links.
        return got.getInt(got.position() + 3 * Integer.BYTES);
    }

    @ParameterizedTest
    @ValueSource(ints = {GssClient.NONE, GssClient.INTEGRITY, GssClient.PRIVACY})
    void file_isWrittenAndReadBackUnderEachProtection_hasItsData(int service) throws Exception {
        try (GssClient client = client(host)) {
            byte[] file = create(client, service, root(client, service), "data" + service);
            for (int lengthBytes : new int[] {1, 1000, 65_537, 500_000}) {
                byte[] data = new byte[lengthBytes];
                new Random(lengthBytes).nextBytes(data);

                ByteBuffer written = client.call(NFS, 3, WRITE, service, bytes(file, 0L, lengthBytes, 0, data));
                ByteBuffer read = client.call(NFS, 3, READ, service, bytes(file, 0L, lengthBytes));

                assertThat(written.getInt()).isZero();
                assertThat(read.getInt()).isZero();
                assertThat(read.getInt()).isEqualTo(1);
                read.position(read.position() + ATTRIBUTES_BYTES);
                assertThat(read.getInt()).isEqualTo(lengthBytes);
                read.getInt();
                assertThat(GssClient.opaque(read)).isEqualTo(data);
            }
        }
    }

    /** rpc.gssd makes a context over TCP, and the client uses it over RDMA. */
    @ParameterizedTest
    @ValueSource(ints = {GssClient.NONE, GssClient.INTEGRITY, GssClient.PRIVACY})
    void file_isWrittenAndReadBackOverRdma_hasItsDataInLongMessages(int service) throws Exception {
        try (IwarpTransport iwarp = new IwarpTransport();
                Requester requester = RpcRdmaRequester.connect(
                                iwarp.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, BackwardCalls.NONE)
                        .get(30, TimeUnit.SECONDS);
                GssClient overTcp = client(host);
                GssClient client = overTcp.by(new OverRdma(requester, Optional.empty()))) {
            byte[] file = create(client, service, root(overTcp, service), "rdma" + service);
            for (int lengthBytes : new int[] {10, 3000, 100_001, 800_000}) {
                byte[] data = new byte[lengthBytes];
                new Random(lengthBytes).nextBytes(data);

                ByteBuffer written = client.call(NFS, 3, WRITE, service, bytes(file, 0L, lengthBytes, 0, data));
                ByteBuffer read = client.call(NFS, 3, READ, service, bytes(file, 0L, lengthBytes));

                assertThat(written.getInt()).isZero();
                assertThat(read.getInt()).isZero();
                read.position(read.position() + Integer.BYTES + ATTRIBUTES_BYTES);
                assertThat(read.getInt()).isEqualTo(lengthBytes);
                read.getInt();
                assertThat(GssClient.opaque(read)).isEqualTo(data);
            }
        }
    }

    /** With krb5 the data of a READ go by a Write chunk, as with AUTH_SYS; with krb5i nothing may (RFC 8166, 6). */
    @Test
    void readData_withAWriteChunk_goThereWithoutProtectionOfTheBodyOnly() throws Exception {
        byte[] data = new byte[20_000];
        new Random(1).nextBytes(data);
        ByteBuffer sink = ByteBuffer.allocateDirect(data.length);
        try (IwarpTransport iwarp = new IwarpTransport();
                Requester requester = RpcRdmaRequester.connect(
                                iwarp.connector(), server.rdmaAddress(), RequesterOptions.DEFAULT, BackwardCalls.NONE)
                        .get(30, TimeUnit.SECONDS);
                GssClient overTcp = client(host);
                GssClient client = overTcp.by(new OverRdma(requester, Optional.of(sink)))) {
            byte[] file = create(overTcp, GssClient.NONE, root(overTcp, GssClient.NONE), "chunk");
            overTcp.call(NFS, 3, WRITE, GssClient.NONE, bytes(file, 0L, data.length, 0, data));

            client.setSequence(500);
            ByteBuffer read = client.call(NFS, 3, READ, GssClient.NONE, bytes(file, 0L, data.length));

            assertThat(read.getInt()).isZero();
            byte[] arrived = new byte[data.length];
            sink.get(0, arrived);
            assertThat(arrived).isEqualTo(data);

            assertThatThrownBy(() -> client.call(NFS, 3, READ, GssClient.PRIVACY, bytes(file, 0L, data.length)))
                    .hasMessageContaining("ERR_CHUNK");
        }
    }

    @Test
    void fileOfAMappedPrincipal_isCreated_belongsToItsUser() throws Exception {
        try (GssClient root = client(host);
                GssClient user = client(alice);
                GssClient unknown = client(stranger)) {
            byte[] top = root(root, GssClient.NONE);
            // SETATTR: mode 0777 alone.
            assertThat(root.call(NFS, 3, 2, GssClient.NONE, bytes(top, 1, 0777, 0, 0, 0, 0, 0, 0))
                            .getInt())
                    .isZero();

            assertThat(owner(user, GssClient.PRIVACY, create(user, GssClient.PRIVACY, top, "of alice")))
                    .isEqualTo(ALICE);
            assertThat(owner(root, GssClient.NONE, create(root, GssClient.INTEGRITY, top, "of root")))
                    .isZero();
            assertThat(owner(unknown, GssClient.NONE, create(unknown, GssClient.NONE, top, "of a stranger")))
                    .isEqualTo(65534);
        }
    }

    @Test
    void context_isUsedOnAnotherConnection_isTheSame() throws Exception {
        try (GssClient first = client(host);
                GssClient second = first.onAnotherConnection()) {
            byte[] top = root(second, GssClient.INTEGRITY);

            assertThat(owner(first, GssClient.NONE, top)).isZero();
        }
    }

    @Test
    void callWithoutKerberos_toAnExportThatDemandsIt_isDeniedAccess() throws Exception {
        try (GssClient client = client(host)) {
            byte[] top = root(client, GssClient.NONE);

            int status = NfsCall.of(1, NFS, 3, GETATTR, 0)
                    .opaque(top)
                    .overTcp(server.tcpAddress())
                    .getInt();

            assertThat(status).isEqualTo(ACCES);
        }
    }

    @Test
    void call_isRepeatedByteByByte_isDroppedWithoutAReply() throws Exception {
        try (GssClient client = client(host)) {
            byte[] top = root(client, GssClient.NONE);
            ByteBuffer call = client.encode(NFS, 3, GETATTR, GssClient.NONE, bytes(top));
            client.results(client.exchange(call), GssClient.NONE);

            client.sendWithoutReply(call);

            // The next reply is that of the next call.
            assertThat(owner(client, GssClient.NONE, top)).isZero();
        }
    }

    @Test
    void contextThatWasDestroyed_isUsed_isACredentialProblem() throws Exception {
        try (GssClient client = client(host)) {
            byte[] top = root(client, GssClient.NONE);
            assertThat(client.destroy()).isZero();

            assertThatThrownBy(() -> owner(client, GssClient.NONE, top))
                    .isInstanceOfSatisfying(GssClient.Denied.class, denied -> assertThat(denied.status())
                            .isEqualTo(CREDPROBLEM));
        }
    }

    @Test
    void numberBeyondTheLast_isRefused_andLowerOnesAreNot() throws Exception {
        try (GssClient client = client(host)) {
            byte[] top = root(client, GssClient.NONE);
            client.setSequence(Integer.MIN_VALUE);
            assertThatThrownBy(() -> owner(client, GssClient.NONE, top))
                    .isInstanceOfSatisfying(GssClient.Denied.class, denied -> assertThat(denied.status())
                            .isEqualTo(CTXPROBLEM));

            client.setSequence(1000);

            assertThat(owner(client, GssClient.NONE, top)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {GssClient.INTEGRITY, GssClient.PRIVACY})
    void bodyThatWasChanged_arrives_isGarbage(int service) throws Exception {
        try (GssClient client = client(host)) {
            byte[] top = root(client, service);
            ByteBuffer call = client.encode(NFS, 3, GETATTR, service, bytes(top));
            int at = call.position() - 12;
            call.put(at, (byte) (call.get(at) ^ 1));

            ByteBuffer reply = client.exchange(call);

            assertThat(GssClient.verifier(reply)).isNotEmpty();
            assertThat(reply.getInt()).isEqualTo(GARBAGE_ARGS);
        }
    }

    @Test
    void headerThatWasChanged_arrives_isACredentialProblem() throws Exception {
        try (GssClient client = client(host)) {
            byte[] top = root(client, GssClient.NONE);
            ByteBuffer call = client.encode(NFS, 3, GETATTR, GssClient.NONE, bytes(top));
            call.putInt(5 * Integer.BYTES, WRITE);

            assertThatThrownBy(() -> client.exchange(call))
                    .isInstanceOfSatisfying(GssClient.Denied.class, denied -> assertThat(denied.status())
                            .isEqualTo(CREDPROBLEM));
        }
    }

    /** SP4_MACH_CRED, as Linux asks for it (RFC 8881, section 18.35). */
    @Test
    void clientThatReservesItsSessions_letsNoOtherCredentialMakeOne() throws Exception {
        try (GssClient machine = client(host);
                GssClient user = client(alice)) {
            // Reserved: BIND_CONN_TO_SESSION, EXCHANGE_ID, CREATE_SESSION, DESTROY_SESSION, DESTROY_CLIENTID and READ.
            int reserved = 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 25;
            byte[] exchange = bytes("", 1, 1, 42, 7L, "a client", 0, 1, 2, 1 << 25, reserved, 1, 1 << 4, 0);
            assertThat(compoundStatus(machine, GssClient.NONE, exchange)).isEqualTo(NFS4_INVAL);

            ByteBuffer exchanged = machine.call(NFS, 4, 1, GssClient.INTEGRITY, exchange);

            assertThat(exchanged.getInt()).isZero();
            // Tag, number of results, operation, status.
            exchanged.position(exchanged.position() + 4 * Integer.BYTES);
            long clientId = exchanged.getLong();
            int sequence = exchanged.getInt();
            exchanged.getInt();
            assertThat(exchanged.getInt()).as("SP4_MACH_CRED").isEqualTo(1);
            assertThat(exchanged.getInt()).as("words of the bitmap").isEqualTo(2);
            assertThat(exchanged.getInt()).as("READ is not enforced").isZero();
            assertThat(exchanged.getInt()).isEqualTo(reserved);
            byte[] create = bytes(
                    "",
                    1,
                    1,
                    43,
                    clientId,
                    sequence,
                    0,
                    0,
                    65536,
                    65536,
                    4096,
                    16,
                    8,
                    0,
                    0,
                    4096,
                    4096,
                    0,
                    2,
                    16,
                    0,
                    0x4000_0000,
                    1,
                    0);
            assertThat(compoundStatus(user, GssClient.INTEGRITY, create)).isEqualTo(NFS4_WRONG_CRED);
            assertThat(compoundStatus(machine, GssClient.NONE, create)).isEqualTo(NFS4_WRONG_CRED);
            assertThat(compoundStatus(machine, GssClient.PRIVACY, create)).isZero();
        }
    }

    /** The sizes of a session include verifiers, checksums and encryption (RFC 8881, section 18.36.3). */
    @ParameterizedTest
    @ValueSource(ints = {GssClient.NONE, GssClient.INTEGRITY, GssClient.PRIVACY})
    void manyOperations_inASmallSession_endWithinItUnderEachProtection(int service) throws Exception {
        try (GssClient client = client(host)) {
            byte[] exchange = bytes("", 1, 1, 42, 9L, "small" + service, 0, 0, 0);
            ByteBuffer exchanged = client.call(NFS, 4, 1, service, exchange);
            exchanged.position(exchanged.position() + 5 * Integer.BYTES);
            long clientId = exchanged.getLong();
            int sequence = exchanged.getInt();
            int replyBytes = 400;
            Object[] create = {"", 1, 1, 43, clientId, sequence, 0, 0, 65536, replyBytes, 4096, 64, 8, 0};
            Object[] back = {0, 4096, 4096, 0, 2, 16, 0, 0x4000_0000, 1, 0};
            ByteBuffer created = client.call(
                    NFS,
                    4,
                    1,
                    service,
                    bytes(Stream.of(create, back).flatMap(Stream::of).toArray()));
            assertThat(created.getInt()).isZero();
            created.position(created.position() + 4 * Integer.BYTES);
            List<Object> many = new ArrayList<>(List.of("", 1, 61, 53, created.getLong(), created.getLong()));
            many.addAll(List.of(1, 0, 0, 0));
            many.addAll(Collections.nCopies(60, 24));

            ByteBuffer reply = client.exchange(client.encode(NFS, 4, 1, service, bytes(many.toArray())));

            assertThat(reply.limit()).isBetween(replyBytes - 12, replyBytes);
            assertThat(client.results(reply, service).getInt()).isEqualTo(NFS4_REP_TOO_BIG);
        }
    }

    private static int compoundStatus(GssClient client, int service, byte[] compound) throws Exception {
        return client.call(NFS, 4, 1, service, compound).getInt();
    }
}
