package org.warpnfs.server.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.iwarp.netty.IwarpTransport;
import org.warpnfs.rpcrdma.client.RequesterOptions;
import org.warpnfs.rpcrdma.client.RpcRdmaRequester;
import org.warpnfs.rpcrdma.request.BackwardCalls;
import org.warpnfs.rpcrdma.request.ChunkOffer;
import org.warpnfs.rpcrdma.request.Requester;
import org.warpnfs.rpcrdma.tcp.TcpConnector;
import org.warpnfs.rpcrdma.tcp.TcpRequesterOptions;
import org.warpnfs.server.NfsCall;
import org.warpnfs.server.hostile.HonestClient.Way;
import org.warpnfs.server.limits.SmallProcess;

/**
 * A server process that has run out of descriptors: clients have filled it with open files, and then the kernel refuses
 * it any new descriptor. The server still gives true answers, and works as before once there are descriptors again.
 */
@Timeout(300)
class ExhaustedDescriptorsTest {
    private static final int LIMIT = 512;
    private static final int SECONDS = 60;
    private static final int UID = 0;
    private static final int OK = 0;
    /** The value of both NFS3ERR_JUKEBOX and NFS4ERR_DELAY. */
    private static final int LATER = 10_008;

    /** The status for a client that has its full share of opens. It is final, unlike "try later". */
    private static final int SERVERFAULT = 10_006;

    private static final int GETATTR = 1;
    private static final int LOOKUP = 3;
    private static final int READ = 6;
    private static final int WRITE = 7;
    private static final int CREATE = 8;
    private static final int MKDIR = 9;
    private static final int REMOVE = 12;
    private static final int RENAME = 14;
    private static final int COMMIT = 21;

    @TempDir
    Path temporary;

    private final IwarpTransport iwarp = new IwarpTransport();
    private final TcpConnector tcp = new TcpConnector(1);
    private final Queue<String> said = new ConcurrentLinkedQueue<>();
    private SmallProcess server;
    private InetSocketAddress tcpAddress;
    private InetSocketAddress rdmaAddress;
    private byte[] root;
    private int xid = 0x4000_0000;

    @BeforeEach
    void start() throws Exception {
        server = SmallProcess.start(
                temporary,
                LIMIT,
                SmallProcess.classPathOfJars(Files.createDirectory(temporary.resolve("jars"))),
                "-Xmx192m",
                "-XX:MaxDirectMemorySize=160m");
        List<String> lines = server.linesUntilReady();
        tcpAddress = SmallProcess.address("tcp", lines);
        rdmaAddress = SmallProcess.address("rdma", lines);
        Thread.ofPlatform().daemon().start(() -> server.output().lines().forEach(said::add));
        ByteBuffer mounted = NfsCall.of(1, NfsCall.MOUNT, 3, 1, UID).string("/").overTcp(tcpAddress);
        assertThat(mounted.getInt()).isZero();
        root = NfsCall.opaque(mounted);
    }

    @AfterEach
    void stop() throws Exception {
        tcp.close();
        iwarp.close();
        server.close();
    }

    private CompletableFuture<Requester> connect(Way way) {
        return switch (way) {
            case TCP ->
                tcp.connect(tcpAddress, TcpRequesterOptions.DEFAULT, BackwardCalls.NONE)
                        .thenApply(requester -> requester);
            case RDMA ->
                RpcRdmaRequester.connect(iwarp.connector(), rdmaAddress, RequesterOptions.DEFAULT, BackwardCalls.NONE)
                        .thenApply(requester -> requester);
        };
    }

    private static ByteBuffer answer(Requester requester, NfsCall call) throws Exception {
        return NfsCall.results(requester
                .call(call.message(), ChunkOffer.NONE)
                .get(SECONDS, TimeUnit.SECONDS)
                .message());
    }

    private NfsCall nfs3(int procedure, byte[] handle) {
        return NfsCall.of(xid++, NfsCall.NFS, 3, procedure, UID).opaque(handle);
    }

    private static NfsCall sattr(NfsCall call) {
        return call.word(1).word(0644).word(0).word(0).word(0).word(0).word(0);
    }

    private NfsCall create(String name) {
        return sattr(nfs3(CREATE, root).string(name).word(1));
    }

    /** Makes a file and writes one word into it. */
    private byte[] make(Requester requester, String name) throws Exception {
        ByteBuffer made = answer(requester, create(name));
        assertThat(made.getInt()).as("CREATE").isEqualTo(OK);
        assertThat(made.getInt()).isEqualTo(1);
        byte[] handle = NfsCall.opaque(made);
        assertThat(status(requester, write(handle, name, 2))).as("WRITE").isEqualTo(OK);
        return handle;
    }

    private NfsCall write(byte[] handle, String data, int stable) {
        return nfs3(WRITE, handle).hyper(0).word(data.length()).word(stable).string(data);
    }

    private int status(Requester requester, NfsCall call) throws Exception {
        return answer(requester, call).getInt();
    }

    /**
     * Opens files by OPEN (RFC 8881, section 18.16) until the server refuses one or {@code most} are open. Returns how
     * many were opened.
     */
    private static int openMany(V41Client client, String prefix, int most) throws Exception {
        for (int opened = 0; opened < most; opened++) {
            int status = client.status(client.sequenced(3)
                    .word(24)
                    .word(18)
                    .word(0)
                    .word(3)
                    .word(0)
                    .hyper(0)
                    .string("opener")
                    .word(1)
                    .word(0)
                    .word(0)
                    .word(0)
                    .word(0)
                    .string(prefix + opened));
            if (status != OK) {
                assertThat(status).isIn(LATER, SERVERFAULT);
                return opened;
            }
        }
        return most;
    }

    private Map<String, String> files() throws IOException {
        Map<String, String> files = new HashMap<>();
        try (Stream<Path> all = Files.list(temporary.resolve("files"))) {
            for (Path path : all.toList()) {
                files.put(path.getFileName().toString(), Files.isDirectory(path) ? "" : Files.readString(path));
            }
        }
        return files;
    }

    @Test
    void noDescriptorIsLeft_callsOfBothTransports_waitOrAreTrueAndGoOnAfterwards() throws Exception {
        Map<Way, Requester> requesters = new HashMap<>();
        Map<Way, byte[]> known = new HashMap<>();
        for (Way way : Way.values()) {
            Requester requester = connect(way).get(SECONDS, TimeUnit.SECONDS);
            requesters.put(way, requester);
            known.put(way, make(requester, "known-" + way));
            // Make each kind of call once, so that the server sets up everything that it needs only once.
            changes(requester, "before-" + way, false);
        }
        int atRest = server.descriptors();
        List<V41Client> openers = new ArrayList<>();
        for (Way way : Way.values()) {
            Requester requester = requesters.get(way);
            V41Client client = new V41Client(call -> answer(requester, call), "opener over " + way);
            client.open();
            assertThat(openMany(client, "few-" + way + "-", 20)).isEqualTo(20);
            openers.add(client);
        }
        for (V41Client opener : openers) {
            // Open files until the share of the common address is used up.
            assertThat(openMany(opener, "more" + openers.indexOf(opener) + "-", LIMIT))
                    .isLessThan(LIMIT);
        }
        for (Way way : Way.values()) {
            assertThat(status(requesters.get(way), nfs3(GETATTR, root)))
                    .as("others")
                    .isEqualTo(OK);
        }
        int full = server.descriptors();
        assertThat(full).isGreaterThan(atRest).isLessThan(LIMIT);

        server.limitDescriptors(1);
        List<Integer> statuses = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (Way way : Way.values()) {
                statuses.addAll(changes(requesters.get(way), "while-" + way + round, true));
            }
        }
        assertThat(statuses).as("descriptors are wanting").contains(LATER);
        // The listeners cannot accept these connections, and close idle ones to make room for them.
        List<CompletableFuture<Requester>> newcomers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            newcomers.add(connect(i % 2 == 0 ? Way.TCP : Way.RDMA));
        }
        assertThat(server.isAlive()).isTrue();

        server.limitDescriptors(LIMIT);
        for (Way way : Way.values()) {
            try (Requester requester = connect(way).get(SECONDS, TimeUnit.SECONDS)) {
                assertThat(changes(requester, "after-" + way, false)).containsOnly(OK);
                assertThat(status(requester, nfs3(GETATTR, known.get(way)))).isEqualTo(OK);
            }
        }
        for (CompletableFuture<Requester> newcomer : newcomers) {
            // The connection is accepted or refused in the end, and does not hang.
            newcomer.handle((requester, refused) -> requester)
                    .thenAccept(requester -> {
                        if (requester != null) {
                            requester.close();
                        }
                    })
                    .get(SECONDS, TimeUnit.SECONDS);
        }
        requesters.values().forEach(Requester::close);
        awaitDescriptors(full);
        assertThat(said).noneMatch(line -> line.contains("OutOfMemoryError") || line.contains("NoClassDefFound"));
    }

    /** Waits until the server has no more than this many descriptors, as it closes ended connections a moment later. */
    private void awaitDescriptors(int most) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (server.descriptors() > most) {
            assertThat(System.nanoTime() - deadline)
                    .as("%d descriptors, there were %d", server.descriptors(), most)
                    .isNegative();
            Thread.sleep(20);
        }
    }

    /**
     * Makes one call of each kind, and checks that each is answered. A call that is told to try later must have changed
     * nothing, and any other must have done its work.
     *
     * @return the statuses
     */
    private List<Integer> changes(Requester requester, String name, boolean mayBePutOff) throws Exception {
        List<Integer> statuses = new ArrayList<>();
        Map<String, NfsCall> calls = Map.of(
                "1 create", create(name),
                "2 mkdir", sattr(nfs3(MKDIR, root).string(name + "-dir")),
                "3 rename", nfs3(RENAME, root).string(name).opaque(root).string(name + "-moved"),
                "4 remove", nfs3(REMOVE, root).string(name + "-moved"),
                "5 lookup", nfs3(LOOKUP, root).string("known-TCP"),
                "6 getattr", nfs3(GETATTR, root));
        boolean there = true;
        for (String what : calls.keySet().stream().sorted().toList()) {
            Map<String, String> before = files();
            int status = status(requester, calls.get(what));
            statuses.add(status);
            boolean changed = !files().equals(before);
            boolean changes = !what.endsWith("lookup") && !what.endsWith("getattr");
            if (status == LATER) {
                assertThat(mayBePutOff).as(what).isTrue();
                assertThat(changed).as("%s is put off and was done", what).isFalse();
            } else {
                // A rename or removal finds nothing if the file could not be made.
                boolean depends = what.endsWith("rename") || what.endsWith("remove");
                assertThat(status).as(what).isIn(depends && !there ? List.of(2) : List.of(OK));
                assertThat(changed).as(what).isEqualTo(changes && status == OK);
            }
            if (what.endsWith("create") || what.endsWith("rename")) {
                there = status == OK;
            }
        }
        for (NfsCall call : dataCalls(requester, mayBePutOff)) {
            int status = status(requester, call);
            assertThat(status).isIn(mayBePutOff ? List.of(OK, LATER) : List.of(OK));
            statuses.add(status);
        }
        return statuses;
    }

    /** Calls that read and write a file that was made earlier. */
    private List<NfsCall> dataCalls(Requester requester, boolean mayBePutOff) throws Exception {
        ByteBuffer found = answer(requester, nfs3(LOOKUP, root).string("known-TCP"));
        int status = found.getInt();
        if (status != OK) {
            assertThat(mayBePutOff).isTrue();
            assertThat(status).isEqualTo(LATER);
            return List.of();
        }
        byte[] handle = NfsCall.opaque(found);
        return List.of(
                nfs3(READ, handle).hyper(0).word(5),
                write(handle, "known", 0),
                nfs3(COMMIT, handle).hyper(0).word(0));
    }
}
