package org.warpnfs.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.limits.SmallProcess;

/**
 * A server process with a heap of 512 MiB, in which clients of several addresses have all that they can get: opens and
 * locks of owners of 1,024 bytes, owners of NFSv4.0 whose last reply is a refusal that holds another such owner,
 * sessions with kept replies, and locks by NLM. A fifth of the heap is still free, and newcomers are served.
 */
@Timeout(540)
class FullServerTest {
    private static final long HEAP_BYTES = 512L << 20;
    private static final int FILES = 9_000;
    private static final int HOGS = 5;
    private static final int HONEST = 99;
    private static final int OWNER_BYTES = 1_024;
    private static final int OPENS_OF_A_CALL = 25;
    private static final int LOCKS_OF_A_CALL = 40;
    private static final int LOCK_OWNERS_OF_AN_OPEN = 1_000;
    private static final int OLD_OWNERS = 600;
    private static final int NLM_CALLS = 64;

    private static final int NLM = 100_021;
    private static final int NLM_LOCK = 2;
    private static final int CALL = 0;
    private static final int DENIED = 10_010;

    private static final int PUTROOTFH = 24;
    private static final int LOOKUP = 15;
    private static final int GETFH = 10;
    private static final int OPEN = 18;
    private static final int OPEN_CONFIRM = 20;
    private static final int LOCK = 12;
    private static final int SETCLIENTID = 35;
    private static final int SETCLIENTID_CONFIRM = 36;
    private static final int BOTH_WITHOUT_DELEGATION = 0x403;
    private static final int BOTH = 3;

    @TempDir
    Path temporary;

    private final Queue<String> said = new ConcurrentLinkedQueue<>();
    private SmallProcess server;
    private InetSocketAddress tcp;
    private int xid = 0x5000_0000;

    @BeforeEach
    void start() throws Exception {
        Path files = Files.createDirectories(temporary.resolve("files"));
        for (int i = 0; i < FILES; i++) {
            Path file = Files.createFile(files.resolve("f" + i));
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        }
        server = SmallProcess.start(
                temporary, 16_384, SmallProcess.classPath(), "-Xmx512m", "-XX:MaxDirectMemorySize=512m");
        List<String> lines = server.linesUntilReady();
        assertThat(lines)
                .anySatisfy(line -> assertThat(line).startsWith("limits ").contains(" of 512 MiB"));
        tcp = SmallProcess.address("tcp", lines);
        Thread.ofPlatform().daemon().start(() -> server.output().lines().forEach(said::add));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    /** A connection from a loopback address of its own. */
    private final class Line implements V41Client.Carrier, AutoCloseable {
        private final Socket socket = new Socket();
        private final DataInputStream in;
        private final DataOutputStream out;

        Line(int number) throws IOException {
            socket.bind(new InetSocketAddress(Wire.peerAddress(number), 0));
            socket.connect(tcp);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(60_000);
            in = new DataInputStream(socket.getInputStream());
            out = new DataOutputStream(socket.getOutputStream());
        }

        void send(NfsCall call) throws IOException {
            out.write(TcpAttack.record(Target.flat(call)));
        }

        /** Returns the next reply. What the server itself calls is not answered. */
        ByteBuffer reply() throws IOException {
            while (true) {
                byte[] record = new byte[in.readInt() & Integer.MAX_VALUE];
                in.readFully(record);
                ByteBuffer reply = ByteBuffer.wrap(record);
                if (reply.getInt(Integer.BYTES) != CALL) {
                    return NfsCall.results(reply);
                }
            }
        }

        @Override
        public ByteBuffer answer(NfsCall call) throws IOException {
            send(call);
            return reply();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static String owner(String what, int number) {
        String start = what + " " + number + " ";
        return start + "x".repeat(OWNER_BYTES - start.length());
    }

    private static NfsCall open(NfsCall call, int seqid, int access, long client, String owner, String file) {
        return call.word(PUTROOTFH)
                .word(OPEN)
                .word(seqid)
                .word(access)
                .word(0)
                .hyper(client)
                .string(owner)
                .word(0)
                .word(0)
                .string(file);
    }

    private static NfsCall stateid(NfsCall call, byte[] stateid) {
        ByteBuffer words = ByteBuffer.wrap(stateid);
        while (words.hasRemaining()) {
            call.word(words.getInt());
        }
        return call;
    }

    private static NfsCall lock(
            NfsCall call, long offset, int openSeqid, byte[] open, int lockSeqid, long client, String owner) {
        call.word(LOCK).word(2).word(0).hyper(offset).hyper(1).word(1).word(openSeqid);
        return stateid(call, open).word(lockSeqid).hyper(client).string(owner);
    }

    /** Copies the stateid that is {@code words} behind the first result. */
    private static byte[] stateid(ByteBuffer results, int words) {
        assertThat(results.getInt(results.position())).as("status").isZero();
        byte[] stateid = new byte[16];
        results.get(results.position() + 4 * (3 + words), stateid);
        return stateid;
    }

    /** Opens files until one is refused. Returns how many calls of opens were not refused. */
    private static int opens(V41Client client, int hog) throws Exception {
        for (int calls = 0; ; calls++) {
            NfsCall call = client.sequenced(1 + 2 * OPENS_OF_A_CALL);
            for (int i = 0; i < OPENS_OF_A_CALL; i++) {
                int number = calls * OPENS_OF_A_CALL + i;
                open(call, 0, BOTH_WITHOUT_DELEGATION, 0, owner("o" + hog, number), "f" + (hog + number) % FILES);
            }
            if (client.status(call) != 0) {
                return calls;
            }
        }
    }

    /** Locks bytes until one is refused, each by an owner of its own. Returns how many calls were not refused. */
    private static int locks(Line line, V41Client client, int hog) throws Exception {
        byte[] open = {};
        int calls = 0;
        for (int number = 0; ; calls++) {
            String file = "f" + number / LOCK_OWNERS_OF_AN_OPEN;
            if (number % LOCK_OWNERS_OF_AN_OPEN == 0) {
                ByteBuffer opened =
                        line.answer(open(client.sequenced(3), 0, BOTH_WITHOUT_DELEGATION, 0, "locker", file));
                if (opened.getInt(opened.position()) != 0) {
                    return calls;
                }
                open = stateid(opened, 2 + 9 + 2 + 2);
            }
            NfsCall call = client.sequenced(3 + LOCKS_OF_A_CALL)
                    .word(PUTROOTFH)
                    .word(LOOKUP)
                    .string(file);
            for (int i = 0; i < LOCKS_OF_A_CALL; i++, number++) {
                // Ranges that do not touch, so that none is merged.
                lock(call, hog * 1_000_000L + 2L * number, 0, open, 0, 0, owner("l", number));
            }
            if (client.status(call) != 0) {
                return calls;
            }
        }
    }

    private NfsCall compound40(int operations) {
        return NfsCall.of(xid++, NfsCall.NFS, 4, 1, 1000).string("").word(0).word(operations);
    }

    /** Makes owners of NFSv4.0 whose last reply is the refusal of a lock. Returns how many. */
    private int refusedOwners(Line line, int hog) throws Exception {
        ByteBuffer set = line.answer(compound40(1)
                .word(SETCLIENTID)
                .hyper(1)
                .string(owner("c40", hog))
                .word(0x4000_0000)
                .string("tcp")
                .string("127.0.0.1.0.0")
                .word(1));
        if (set.getInt(set.position()) != 0) {
            return 0;
        }
        long client = set.getLong(set.position() + 4 * 5);
        long verifier = set.getLong(set.position() + 4 * 7);
        ByteBuffer confirmed = line.answer(
                compound40(1).word(SETCLIENTID_CONFIRM).hyper(client).hyper(verifier));
        assertThat(confirmed.getInt(confirmed.position())).isZero();
        for (int number = 0; number < OLD_OWNERS; number++) {
            String owner = owner("old", number);
            String file = "f0";
            ByteBuffer opened = line.answer(open(compound40(2), 1, BOTH, client, owner, file));
            if (opened.getInt(opened.position()) != 0) {
                return number;
            }
            byte[] open = stateid(opened, 2 + 2);
            NfsCall confirm =
                    compound40(3).word(PUTROOTFH).word(LOOKUP).string(file).word(OPEN_CONFIRM);
            open = stateid(line.answer(stateid(confirm, open).word(2)), 2 + 2 + 2);
            // The first byte of the file is locked by an owner of the longest name.
            NfsCall refused = compound40(3).word(PUTROOTFH).word(LOOKUP).string(file);
            ByteBuffer answer = line.answer(lock(refused, 0, 3, open, 1, client, owner("lock", number)));
            assertThat(answer.getInt(answer.position())).as("LOCK").isEqualTo(DENIED);
        }
        return OLD_OWNERS;
    }

    /** Makes sessions until one is refused, each with a kept reply. Returns how many. */
    private static int sessions(Line line, int hog) throws Exception {
        for (int number = 0; ; number++) {
            V41Client client = new V41Client(line, owner("s" + hog, number));
            if (client.introduce() != 0) {
                return number;
            }
            NfsCall call = client.sequenced(22).word(PUTROOTFH);
            for (int i = 0; i < 20; i++) {
                call.word(GETFH);
            }
            // Once the kept replies have no room left, this may be put off.
            var _ = client.status(call);
        }
    }

    private byte[] handle(Line line, String name) throws Exception {
        ByteBuffer mounted =
                line.answer(NfsCall.of(xid++, NfsCall.MOUNT, 3, 1, 0).string("/"));
        assertThat(mounted.getInt()).isZero();
        ByteBuffer found = line.answer(NfsCall.of(xid++, NfsCall.NFS, 3, 3, 0)
                .opaque(NfsCall.opaque(mounted))
                .string(name));
        assertThat(found.getInt()).isZero();
        return NfsCall.opaque(found);
    }

    /** Locks files by NLM until one lock is refused. Returns how many were granted. */
    private int nlmLocks(Line line, byte[] file) throws Exception {
        int granted = 0;
        for (int number = 0; ; ) {
            for (int i = 0; i < NLM_CALLS; i++, number++) {
                line.send(NfsCall.of(xid++, NLM, 4, NLM_LOCK, 0)
                        .string("")
                        .word(0)
                        .word(0)
                        .string(owner("host", 0))
                        .opaque(file)
                        .string(owner("n", number))
                        .word(number)
                        .hyper(5_000_000_000L + 2L * number)
                        .hyper(1)
                        .word(0)
                        .word(1));
            }
            boolean refused = false;
            for (int i = 0; i < NLM_CALLS; i++) {
                ByteBuffer reply = line.reply();
                boolean isGranted = reply.getInt(reply.position() + 4) == 0;
                granted += isGranted ? 1 : 0;
                refused |= !isGranted;
            }
            if (refused) {
                return granted;
            }
        }
    }

    @Test
    void everythingFull_aFifthOfTheHeapIsFree_andNewcomersAreServed() throws Exception {
        int opens = 0;
        int locks = 0;
        int owners = 0;
        int sessions = 0;
        int nlmLocks = 0;
        try (Line holder = new Line(HOGS + 1)) {
            V41Client first = new V41Client(holder, "holder");
            first.open();
            byte[] open = stateid(
                    holder.answer(open(first.sequenced(3), 0, BOTH_WITHOUT_DELEGATION, 0, "holder", "f0")),
                    2 + 9 + 2 + 2);
            NfsCall call = first.sequenced(4).word(PUTROOTFH).word(LOOKUP).string("f0");
            assertThat(first.status(lock(call, 0, 0, open, 0, 0, owner("holder", 0))))
                    .isZero();
            for (int hog = 1; hog <= HOGS; hog++) {
                try (Line line = new Line(hog)) {
                    owners += refusedOwners(line, hog);
                    V41Client client = new V41Client(line, owner("hog", hog));
                    client.open();
                    locks += locks(line, client, hog) * LOCKS_OF_A_CALL;
                    opens += opens(client, hog) * OPENS_OF_A_CALL;
                    nlmLocks += nlmLocks(line, handle(line, "f1"));
                    sessions += sessions(line, hog);
                }
            }
            String all = opens + " opens, " + locks + " locks, " + owners + " owners of NFSv4.0, " + sessions
                    + " sessions, " + nlmLocks + " locks by NLM";
            long bytes = server.liveHeapBytes();
            assertThat(opens).as(all).isGreaterThan(2_000);
            assertThat(locks).as(all).isGreaterThan(10_000);
            assertThat(owners).as(all).isGreaterThan(1_000);
            assertThat(sessions).as(all).isGreaterThan(500);
            assertThat(nlmLocks).as(all).isGreaterThan(5_000);
            assertThat(bytes).as(all).isBetween(HEAP_BYTES / 8, HEAP_BYTES * 4 / 5);
            try (Line line = new Line(HONEST)) {
                V41Client honest = new V41Client(line, "honest");
                honest.open();
                assertThat(honest.status(open(honest.sequenced(3), 0, BOTH_WITHOUT_DELEGATION, 0, "honest", "f8999")))
                        .as("OPEN")
                        .isZero();
                honest.renew();
            }
        }
        assertThat(server.isAlive()).isTrue();
        assertThat(said).noneMatch(line -> line.contains("OutOfMemoryError"));
    }
}
