package org.warpnfs.server.kerberos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.security.auth.Subject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.InMemory;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.WarpServer;
import org.warpnfs.server.config.KerberosChoice;
import org.warpnfs.server.limits.ServerLimits;

/**
 * Many readers with krb5p call for large replies and take none. A wrapped reply is on the heap as a whole, until the
 * socket has taken it.
 */
@Timeout(180)
class UntakenPrivacyTest {
    private static final int NFS = NfsCall.NFS;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int GETATTR = 1;
    private static final int MIB = 1 << 20;
    private static final int BLOCK_BYTES = 256 << 10;
    private static final int READERS = 16;
    private static final int CALLS = 16;

    @TempDir
    private Path directory;

    /** A connection that takes less than 1 MiB in a second for two of them is closed. */
    private static ServerLimits limits() {
        ServerLimits.Deadlines usual = ServerLimits.DEFAULT.deadlines();
        ServerLimits.Deadlines soon = new ServerLimits.Deadlines(
                usual.startup(),
                usual.firstMessage(),
                Duration.ofSeconds(2),
                MIB,
                usual.backwardReply(),
                usual.draining(),
                usual.close(),
                usual.leastBytesPerSecondClosing(),
                usual.exposedReply());
        return new ServerLimits(
                ServerLimits.DEFAULT.connections(),
                soon,
                ServerLimits.DEFAULT.streams(),
                ServerLimits.DEFAULT.rdma(),
                ServerLimits.DEFAULT.tcp(),
                ServerLimits.DEFAULT.memory(),
                ServerLimits.DEFAULT.state());
    }

    private static byte[] bytes(Object... items) {
        ByteBuffer out = ByteBuffer.allocate(MIB);
        for (Object item : items) {
            switch (item) {
                case Integer word -> out.putInt(word);
                case Long hyper -> out.putLong(hyper);
                case byte[] opaque -> out.putInt(opaque.length).put(opaque).put(new byte[-opaque.length & 3]);
                default -> throw new IllegalArgumentException(item.toString());
            }
        }
        byte[] exact = new byte[out.position()];
        out.flip().get(exact);
        return exact;
    }

    private static byte[] name(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static GssClient client(WarpServer server, Subject user) throws Exception {
        GssClient client = new GssClient(server.tcpAddress(), TestRealm.initiate(user));
        assertThat(client.init(user)).isZero();
        return client;
    }

    /** A file of 1 MiB. */
    private static byte[] file(GssClient client) throws Exception {
        ByteBuffer mounted = client.call(NfsCall.MOUNT, 3, 1, GssClient.PRIVACY, bytes(name("/data")));
        assertThat(mounted.getInt()).isZero();
        byte[] root = GssClient.opaque(mounted);
        ByteBuffer created =
                client.call(NFS, 3, CREATE, GssClient.PRIVACY, bytes(root, name("big"), 0, 1, 0666, 0, 0, 0, 0, 0));
        assertThat(created.getInt()).isZero();
        created.getInt();
        byte[] file = GssClient.opaque(created);
        for (int at = 0; at < MIB; at += BLOCK_BYTES) {
            byte[] block = bytes(file, (long) at, BLOCK_BYTES, 0, new byte[BLOCK_BYTES]);
            assertThat(client.call(NFS, 3, WRITE, GssClient.PRIVACY, block).getInt())
                    .isZero();
        }
        return file;
    }

    @Test
    void readersThatTakeNothing_holdABoundedMemory_leaveOthersAloneAndAreEnded() throws Exception {
        try (TestRealm realm = TestRealm.start(directory)) {
            Subject host = realm.login("host/client.test@" + TestRealm.NAME);
            KerberosChoice kerberos = new KerberosChoice(realm.serverKeytab(), KerberosChoice.ANY, TestRealm.NAME);
            try (WarpServer server = WarpServer.start(
                            InMemory.config(":/data,no_root_squash,sec=krb5p", 32 << 20, Duration.ofSeconds(5))
                                    .withKerberos(kerberos),
                            limits());
                    GssClient honest = client(server, host)) {
                byte[] file = file(honest);
                List<GssClient> readers = new ArrayList<>();
                for (int i = 0; i < READERS; i++) {
                    GssClient reader = client(server, host);
                    readers.add(reader);
                    for (int call = 0; call < CALLS; call++) {
                        reader.sendWithoutReply(reader.encode(NFS, 3, READ, GssClient.PRIVACY, bytes(file, 0L, MIB)));
                    }
                }
                // What was called for is many times of this: the mark, a reply for each connection and each thread.
                long boundBytes = server.limits().tcp().unsentBytesOfClient() + (READERS + 32L) * (MIB + 4096);
                assertThat(boundBytes).isLessThan((long) READERS * CALLS * MIB);
                long mostBytes = 0;
                while (server.counters().get("tcp_replies_too_slow") < READERS) {
                    mostBytes = Math.max(mostBytes, server.counters().get("tcp_unsent_bytes"));
                    assertThat(honest.call(NFS, 3, GETATTR, GssClient.PRIVACY, bytes(file))
                                    .getInt())
                            .isZero();
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                assertThat(mostBytes).isBetween(4L * MIB, boundBytes);
                while (server.counters().get("tcp_unsent_bytes") > 0) {
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                ByteBuffer read = honest.call(NFS, 3, READ, GssClient.PRIVACY, bytes(file, 0L, MIB));
                assertThat(read.getInt()).isZero();
                for (GssClient reader : readers) {
                    reader.close();
                }
            }
        }
    }
}
