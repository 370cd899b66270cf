package org.warpnfs.server.kerberos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import javax.security.auth.Subject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.KerberosChoice;

/** Callbacks with RPCSEC_GSS, as CREATE_SESSION and BACKCHANNEL_CTL ask for them (RFC 8881, section 18.36.3). */
class SecuredCallbackTest {
    private static final int NFS = NfsCall.NFS;
    private static final int SEQUENCE = 53;
    private static final int BACKCHANNEL_CTL = 40;
    private static final int PROGRAM = 0x4000_0000;
    private static final int PATH_DOWN = 0x201;
    private static final int CONTEXTS_EXPIRED = 0x004;
    private static final int NFS4_NOENT = 2;
    private static final int WRONG_CRED = 10_082;
    private static final byte[] BACK = {'b', 'a', 'c', 'k', '1'};

    @TempDir
    static Path directory;

    private static TestRealm realm;
    private static WarpServer server;
    private static Subject alice;
    private static Subject host;

    private byte[] session = {};
    private int slotSequence = 1;
    private long clientId;
    private int createSequence;

    @BeforeAll
    static void start() throws Exception {
        realm = TestRealm.start(directory);
        alice = realm.login("alice@" + TestRealm.NAME);
        host = realm.login("host/client.test@" + TestRealm.NAME);
        server = WarpServer.start(InMemory.config(":/data,no_root_squash,sec=krb5i", 32 << 20, Duration.ofSeconds(5))
                .withKerberos(new KerberosChoice(realm.serverKeytab(), KerberosChoice.ANY, TestRealm.NAME)));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
        realm.close();
    }

    private static GssClient client(Subject user) throws Exception {
        GssClient client = new GssClient(server.tcpAddress(), TestRealm.initiate(user));
        assertThat(client.init(user)).isZero();
        return client;
    }

    /** Words, numbers of 64 bits, and opaques of any length. */
    private static byte[] bytes(Object... values) {
        ByteBuffer out = ByteBuffer.allocate(4096);
        for (Object value : values) {
            switch (value) {
                case Integer word -> out.putInt(word);
                case Long number -> out.putLong(number);
                case byte[] opaque -> out.putInt(opaque.length).put(opaque).put(new byte[-opaque.length & 3]);
                default -> throw new IllegalArgumentException(value.toString());
            }
        }
        byte[] bytes = new byte[out.position()];
        out.get(0, bytes);
        return bytes;
    }

    private static byte[] name(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** CREATE_SESSION with a back channel, and a context for it alone; returns the status. */
    private int createSession(GssClient client, String name, int service, byte[] fore) throws Exception {
        exchangeId(client, name(name), 0);
        return createSession(client, service, fore);
    }

    /** EXCHANGE_ID with these words of eia_state_protect. */
    private void exchangeId(GssClient client, byte[] name, Object... protection) throws Exception {
        byte[] head = bytes(name(""), 1, 1, 42, 7L, name, 0);
        byte[] end = bytes(protection);
        ByteBuffer exchange = ByteBuffer.allocate(head.length + end.length + Integer.BYTES)
                .put(head)
                .put(end);
        ByteBuffer exchanged = client.call(NFS, 4, 1, GssClient.INTEGRITY, exchange.array());
        assertThat(exchanged.getInt()).isZero();
        exchanged.position(exchanged.position() + 4 * Integer.BYTES);
        clientId = exchanged.getLong();
        createSequence = exchanged.getInt();
    }

    private int createSession(GssClient client, int service, byte[] fore) throws Exception {
        byte[] create = bytes(
                name(""),
                1,
                1,
                43,
                clientId,
                createSequence,
                2,
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
                PROGRAM,
                1,
                6,
                service,
                fore,
                BACK);
        ByteBuffer created = client.call(NFS, 4, 1, GssClient.INTEGRITY, create);
        int status = created.getInt();
        if (status == 0) {
            created.position(created.position() + 4 * Integer.BYTES);
            session = new byte[16];
            slotSequence = 1;
            created.get(session);
            created.getInt();
            assertThat(created.getInt()).as("CONN_BACK_CHAN").isEqualTo(2);
        }
        return status;
    }

    /** A COMPOUND with SEQUENCE and, if there is one, another operation without results; returns sr_status_flags. */
    private int flags(GssClient client, byte[] operation) throws Exception {
        ByteBuffer reply = inSession(client, GssClient.INTEGRITY, operation);
        assertThat(reply.getInt()).as("status").isZero();
        reply.position(reply.position() + 4 * Integer.BYTES + 16 + 4 * Integer.BYTES);
        return reply.getInt();
    }

    private ByteBuffer inSession(GssClient client, int service, byte[] operation) throws Exception {
        ByteBuffer id = ByteBuffer.wrap(session);
        byte[] compound = ByteBuffer.allocate(44 + operation.length)
                .put(bytes(name(""), 1, operation.length == 0 ? 1 : 2, SEQUENCE))
                .putLong(id.getLong())
                .putLong(id.getLong())
                .put(bytes(slotSequence++, 0, 0))
                .array();
        compound = ByteBuffer.allocate(48 + operation.length)
                .put(compound, 0, 44)
                .putInt(0)
                .put(operation)
                .array();
        return client.call(NFS, 4, 1, service, compound);
    }

    private int flags(GssClient client) throws Exception {
        return flags(client, new byte[0]);
    }

    /** The answer to a callback is looked at beside the calls that come after it. */
    private int flagsInTheEnd(GssClient client) throws Exception {
        for (int left = 1000; left > 0; left--) {
            int flags = flags(client);
            if (flags != 0) {
                return flags;
            }
        }
        return 0;
    }

    @ParameterizedTest
    @ValueSource(ints = {GssClient.NONE, GssClient.INTEGRITY, GssClient.PRIVACY})
    void backChannelOfAContext_isTestedWithIt_comesUpWhenItsClientAnswers(int service) throws Exception {
        try (GssClient client = client(host)) {
            assertThat(createSession(client, "up " + service, service, client.handle()))
                    .isZero();
            GssClient.Callback probe = client.receiveCallback(BACK);
            assertThat(probe.procedure()).as("CB_NULL").isZero();
            assertThat(probe.service()).isEqualTo(service);
            assertThat(probe.number()).isEqualTo(1);
            assertThat(probe.arguments()).isEmpty();

            client.answer(probe, probe.number(), probe.number(), new byte[0]);

            assertThat(flags(client)).isZero();
        }
    }

    @Test
    void replyOfAnotherCall_isNoAnswer() throws Exception {
        try (GssClient client = client(host)) {
            assertThat(createSession(client, "verifier", GssClient.INTEGRITY, client.handle()))
                    .isZero();
            GssClient.Callback probe = client.receiveCallback(BACK);
            client.answer(probe, probe.number() + 1, probe.number(), new byte[0]);
            assertThat(flagsInTheEnd(client)).isEqualTo(PATH_DOWN);
        }
        try (GssClient client = client(host)) {
            assertThat(createSession(client, "body", GssClient.PRIVACY, client.handle()))
                    .isZero();
            GssClient.Callback probe = client.receiveCallback(BACK);
            client.answer(probe, probe.number(), probe.number() + 1, new byte[0]);
            assertThat(flagsInTheEnd(client)).isEqualTo(PATH_DOWN);
        }
    }

    @Test
    void contextThatIsNotTheCallers_isRefused() throws Exception {
        try (GssClient client = client(host);
                GssClient other = client(alice)) {
            assertThat(createSession(client, "nobody's", GssClient.INTEGRITY, new byte[] {1, 2, 3}))
                    .isEqualTo(NFS4_NOENT);
            assertThat(createSession(client, "another's", GssClient.INTEGRITY, other.handle()))
                    .isEqualTo(NFS4_NOENT);
        }
    }

    @Test
    void createSession_isRepeatedWhenItsContextHasEnded_isAnsweredAsBefore() throws Exception {
        try (GssClient client = client(host);
                GssClient second = client(host)) {
            assertThat(createSession(client, "again", GssClient.INTEGRITY, second.handle()))
                    .isZero();
            byte[] first = session;
            GssClient.Callback probe = second.by(client).receiveCallback(BACK);
            second.by(client).answer(probe, probe.number(), probe.number(), new byte[0]);
            assertThat(second.destroy()).isZero();

            assertThat(createSession(client, GssClient.INTEGRITY, second.handle()))
                    .isZero();

            assertThat(session).isEqualTo(first);
        }
    }

    /** The client offers two contexts. One that it does not take any more is followed by the other at once. */
    @Test
    void contextIsRefused_theNextOneOffered_isTriedAtOnce() throws Exception {
        try (GssClient client = client(host);
                GssClient second = client(host)) {
            assertThat(createSession(client, "next", GssClient.INTEGRITY, second.handle()))
                    .isZero();
            GssClient.Callback probe = second.by(client).receiveCallback(BACK);
            second.by(client).answer(probe, probe.number(), probe.number(), new byte[0]);
            byte[] change = bytes(BACKCHANNEL_CTL, PROGRAM, 1, 6, GssClient.PRIVACY, client.handle(), name("b2"));
            flags(client, change);
            GssClient.Callback refused = client.receiveCallback(name("b2"));

            client.refuse(refused);

            GssClient.Callback next = second.by(client).receiveCallback(BACK);
            second.by(client).answer(next, next.number(), next.number(), new byte[0]);
            assertThat(flags(client)).isZero();
        }
    }

    @Test
    void backchannelCtl_reservedForTheMachineCredential_isRefusedToAnother() throws Exception {
        try (GssClient client = client(host)) {
            int bit = 1 << (BACKCHANNEL_CTL - 32);
            exchangeId(client, name("reserved"), 1, 2, 0, bit, 0);
            assertThat(createSession(client, GssClient.INTEGRITY, client.handle()))
                    .isZero();
            GssClient.Callback probe = client.receiveCallback(BACK);
            client.answer(probe, probe.number(), probe.number(), new byte[0]);
            byte[] change = bytes(BACKCHANNEL_CTL, PROGRAM, 1, 6, GssClient.PRIVACY, client.handle(), name("b2"));

            ByteBuffer reply = inSession(client, GssClient.NONE, change);

            assertThat(reply.getInt()).isEqualTo(WRONG_CRED);
            assertThat(flags(client, change)).isZero();
        }
    }

    @Test
    void contextThatHasEnded_isToldAndReplacedByBackchannelCtl() throws Exception {
        try (GssClient client = client(host);
                GssClient second = client(host)) {
            assertThat(createSession(client, "ends", GssClient.INTEGRITY, second.handle()))
                    .isZero();
            GssClient.Callback probe = second.by(client).receiveCallback(BACK);
            second.by(client).answer(probe, probe.number(), probe.number(), new byte[0]);
            assertThat(flags(client)).isZero();

            assertThat(second.destroy()).isZero();
            assertThat(flags(client)).isEqualTo(PATH_DOWN | CONTEXTS_EXPIRED);

            byte[] change = bytes(BACKCHANNEL_CTL, PROGRAM, 1, 6, GssClient.PRIVACY, client.handle(), name("b2"));
            flags(client, change);
            GssClient.Callback again = client.receiveCallback(name("b2"));
            assertThat(again.service()).isEqualTo(GssClient.PRIVACY);
            client.answer(again, again.number(), again.number(), new byte[0]);
            assertThat(flags(client)).isZero();
        }
    }
}
