package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.warpnfs.server.LanesServer.MIB;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.lanes.Lane;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Pieces;
import org.warpnfs.rpcrdma.message.RpcMessage;

/**
 * Calls of one client that wait, for example for stable storage or memory, do not keep the server from answering other
 * clients.
 */
class FairCallsTest {
    private static final int GETATTR = 1;
    private static final int READ = 6;
    private static final int REMOVE = 12;
    private static final int COMMIT = 21;
    private static final int OK = 0;
    private static final int NOTDIR = 20;
    private static final int DELAY = 10008;
    private static final int SEQ_MISORDERED = 10063;

    private LanesServer server;
    private byte[] file;

    @BeforeEach
    void start() throws Exception {
        server = new LanesServer();
        file = server.newFile("file", MIB);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private NfsCall getAttr() {
        return server.nfs3(GETATTR).opaque(file);
    }

    private NfsCall commit() {
        return server.nfs3(COMMIT).opaque(file).hyper(0).word(0);
    }

    private NfsCall read(int count) {
        return server.nfs3(READ).opaque(file).hyper(0).word(count);
    }

    private NfsCall read4(NfsCall compound, int count) {
        return compound.word(22)
                .opaque(file)
                .word(25)
                .hyper(0)
                .hyper(0)
                .hyper(0)
                .word(count);
    }

    private NfsCall sequence(int operations, byte[] session, int seqid) {
        return LanesServer.sequence(server.compound(1, operations), session, seqid);
    }

    private static int count(ByteBuffer read3) {
        assertThat(read3.getInt()).as("status").isEqualTo(OK);
        assertThat(read3.getInt()).as("attributes follow").isEqualTo(1);
        return read3.getInt(8 + 84);
    }

    /** Takes all payload memory, by replies to many clients that are not released. */
    private List<CompletableFuture<RpcMessage>> takeAllMemory() throws Exception {
        List<CompletableFuture<RpcMessage>> held = new ArrayList<>();
        for (int client = 100; server.pool.lentBytes() < server.pool.budgetBytes(); client++) {
            CompletableFuture<RpcMessage> reply = server.connect(client).send(read(MIB));
            reply.get(60, TimeUnit.SECONDS);
            held.add(reply);
        }
        return held;
    }

    private static void release(CompletableFuture<RpcMessage> reply) {
        reply.join().release();
    }

    private void awaitWaiting(int requests) throws InterruptedException {
        for (int i = 0; i < 6_000 && server.pool.waitingRequests() != requests; i++) {
            Thread.sleep(10);
        }
        assertThat(server.pool.waitingRequests())
                .as("calls that wait for memory")
                .isEqualTo(requests);
    }

    @Test
    void commitsOfOneClient_standStill_othersCallsAreAnswered() throws Exception {
        LanesServer.Peer hog = server.connect(1);
        LanesServer.Peer honest = server.connect(2);
        byte[] session = honest.newSession("honest");
        server.shutGate();
        List<CompletableFuture<RpcMessage>> commits = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            commits.add(hog.send(commit()));
        }
        int most = LanesServer.THREADS / 2;
        assertThat(server.syncsBegun.tryAcquire(most, 60, TimeUnit.SECONDS)).isTrue();
        assertThat(honest.call(getAttr()).getInt()).isEqualTo(OK);
        assertThat(honest.call(sequence(1, session, 2)).getInt()).isEqualTo(OK);
        assertThat(count(honest.call(read(MIB)))).isEqualTo(MIB);
        assertThat(hog.call(getAttr()).getInt()).as("its own short calls too").isEqualTo(OK);
        CompletableFuture<RpcMessage> honestCommit = honest.send(commit());
        assertThat(server.syncsBegun.tryAcquire(60, TimeUnit.SECONDS))
                .as("a thread is left for another client's COMMIT")
                .isTrue();
        assertThat(server.syncsBegun.availablePermits()).isZero();
        assertThat(commits).noneMatch(CompletableFuture::isDone);
        server.openGate();
        assertThat(LanesServer.results(honestCommit).getInt()).isEqualTo(OK);
        for (CompletableFuture<RpcMessage> each : commits) {
            assertThat(LanesServer.results(each).getInt()).isEqualTo(OK);
        }
    }

    /** As with the local backend, whose threads share syncs. */
    @Test
    void commitsOfOneClient_waitForASyncTogether_allBegin_othersCallsAreAnswered() throws Exception {
        server.syncWaits = new LaneSyncWaits();
        LanesServer.Peer hog = server.connect(1);
        LanesServer.Peer honest = server.connect(2);
        server.shutGate();
        List<CompletableFuture<RpcMessage>> commits = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            commits.add(hog.send(commit()));
        }
        assertThat(server.syncsBegun.tryAcquire(64, 60, TimeUnit.SECONDS))
                .as("all wait at once, so that one sync could serve them")
                .isTrue();
        CompletableFuture<RpcMessage> honestCommit = honest.send(commit());
        assertThat(server.syncsBegun.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        assertThat(honest.call(getAttr()).getInt()).isEqualTo(OK);
        assertThat(honest.call(server.nfs3(REMOVE).opaque(file).string("none")).getInt())
                .as("a call of the same lane that does not wait")
                .isEqualTo(NOTDIR);
        assertThat(commits).noneMatch(CompletableFuture::isDone);
        server.openGate();
        assertThat(LanesServer.results(honestCommit).getInt()).isEqualTo(OK);
        for (CompletableFuture<RpcMessage> each : commits) {
            assertThat(LanesServer.results(each).getInt()).isEqualTo(OK);
        }
    }

    /** The disk does not answer, or the clients are hostile. */
    @ParameterizedTest
    @ValueSource(ints = {4, 8, 15})
    void commitsOfManyClients_standStill_newcomersAreAnswered(int clients) throws Exception {
        server.shutGate();
        List<CompletableFuture<RpcMessage>> commits = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            LanesServer.Peer hog = server.connect(100 + client);
            for (int i = 0; i < 16; i++) {
                commits.add(hog.send(commit()));
            }
        }
        assertThat(server.syncsBegun.tryAcquire(clients, 60, TimeUnit.SECONDS))
                .as("each has its turn")
                .isTrue();
        LanesServer.Peer honest = server.connect(1);
        for (int i = 0; i < 3; i++) {
            assertThat(honest.call(server.nfs3(REMOVE).opaque(file).string("of a file"))
                            .getInt())
                    .as("of the same lane")
                    .isEqualTo(NOTDIR);
        }
        server.openGate();
        for (CompletableFuture<RpcMessage> each : commits) {
            assertThat(LanesServer.results(each).getInt()).isEqualTo(OK);
        }
    }

    @Test
    void compoundsOfOneClient_standStill_renewsOfOthersAreAnswered() throws Exception {
        LanesServer.Peer hog = server.connect(1);
        server.shutGate();
        List<CompletableFuture<RpcMessage>> commits = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            commits.add(hog.send(server.compound(0, 3)
                    .word(22)
                    .opaque(file)
                    .word(9)
                    .word(1)
                    .word(1 << 4)
                    .word(5)
                    .hyper(0)
                    .word(0)));
        }
        assertThat(server.syncsBegun.tryAcquire(LanesServer.THREADS / 2, 60, TimeUnit.SECONDS))
                .isTrue();
        ByteBuffer renewed =
                server.connect(2).call(server.compound(0, 1).word(30).hyper(7));
        assertThat(renewed.getInt()).as("STALE_CLIENTID, at once").isEqualTo(10022);
        server.openGate();
        for (CompletableFuture<RpcMessage> each : commits) {
            assertThat(LanesServer.results(each).getInt()).isEqualTo(OK);
        }
    }

    @Test
    void poolUsedByOneClient_anotherReads_isAnsweredWithData() throws Exception {
        LanesServer.Peer hog = server.connect(1);
        List<CompletableFuture<RpcMessage>> hogs = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            hogs.add(hog.send(read(MIB)));
        }
        awaitWaiting(14);
        LanesServer.Peer honest = server.connect(2);
        for (int i = 0; i < 10; i++) {
            assertThat(count(honest.call(read(MIB)))).isEqualTo(MIB);
        }
        ByteBuffer fourth = honest.call(read4(server.compound(0, 2), MIB));
        assertThat(fourth.getInt()).isEqualTo(OK);
        assertThat(hogs.stream().filter(CompletableFuture::isDone)).hasSize(2);
        // Each reply releases its memory when it is read, in any order, and the next READ gets that memory.
        List<CompletableFuture<Integer>> counts = hogs.stream()
                .map(reply -> reply.thenApply(
                        message -> count(NfsCall.results(message.flatten()).slice())))
                .toList();
        for (CompletableFuture<Integer> each : counts) {
            assertThat(each.get(60, TimeUnit.SECONDS))
                    .as("in the end it has its data too")
                    .isEqualTo(MIB);
        }
        assertThat(server.pool.lentBytes()).isZero();
        assertThat(server.pool.waitingRequests()).isZero();
    }

    @Test
    void allMemoryUsed_readsWait_andHaveDataWhenSomeIsReleased() throws Exception {
        List<CompletableFuture<RpcMessage>> held = takeAllMemory();
        LanesServer.Peer honest = server.connect(2);
        byte[] session = honest.newSession("honest");
        List<CompletableFuture<RpcMessage>> waiting = List.of(
                honest.send(read(4096)),
                honest.send(read4(server.compound(0, 2), 4096)),
                honest.send(read4(sequence(3, session, 2), 4096)));
        awaitWaiting(3);
        assertThat(server.threads.waitingCount(Lane.DATA)).isZero();
        assertThat(honest.call(sequence(1, session, 3)).getInt())
                .as("the slot is busy")
                .isEqualTo(SEQ_MISORDERED);
        held.forEach(FairCallsTest::release);
        assertThat(count(LanesServer.results(waiting.get(0)))).isEqualTo(4096);
        assertThat(LanesServer.results(waiting.get(1)).getInt()).isEqualTo(OK);
        assertThat(LanesServer.results(waiting.get(2)).getInt()).isEqualTo(OK);
        assertThat(server.pool.lentBytes()).isZero();
    }

    private static void expectRange(CompletableFuture<RpcMessage> reply) throws Exception {
        RpcMessage message = reply.get(60, TimeUnit.SECONDS);
        Pieces pieces = new Pieces();
        message.addTo(pieces);
        assertThat(pieces.parts()).hasSize(1);
        assertThat(pieces.parts().getFirst().lengthBytes()).isEqualTo(MIB);
        message.release();
    }

    /** Data in the page cache, which the transport sends as a range of the file. */
    @Test
    void allMemoryUsed_readsOfWhatIsCached_takeNone_andOthersWait() throws Exception {
        List<CompletableFuture<RpcMessage>> held = takeAllMemory();
        LanesServer.Peer honest = server.connect(2);
        server.maxRangeBytes = MIB;
        server.cached = true;
        expectRange(honest.send(read(MIB)));
        expectRange(honest.send(read4(server.compound(0, 2), MIB)));
        assertThat(server.pool.waits()).isZero();
        assertThat(server.ranges).hasValue(0);
        server.cached = false;
        List<CompletableFuture<RpcMessage>> waiting =
                List.of(honest.send(read(MIB)), honest.send(read4(server.compound(0, 2), MIB)));
        awaitWaiting(2);
        held.forEach(FairCallsTest::release);
        assertThat(count(LanesServer.results(waiting.get(0)))).isEqualTo(MIB);
        assertThat(LanesServer.results(waiting.get(1)).getInt()).isEqualTo(OK);
        assertThat(server.pool.lentBytes()).isZero();
    }

    @Test
    void readWaits_itsConnectionEnds_everythingIsGivenBack() throws Exception {
        List<CompletableFuture<RpcMessage>> held = takeAllMemory();
        LanesServer.Peer gone = server.connect(2);
        byte[] session = gone.newSession("gone");
        List<CompletableFuture<RpcMessage>> waiting = List.of(
                gone.send(read(4096)),
                gone.send(read4(server.compound(0, 2), 4096)),
                gone.send(read4(sequence(3, session, 2), 4096)));
        awaitWaiting(3);
        gone.end();
        assertThat(server.pool.waitingRequests()).isZero();
        for (CompletableFuture<RpcMessage> each : waiting) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertThat(server.pool.lentBytes(ClientAddress.of(gone.remoteAddress())))
                .isZero();
        LanesServer.Peer again = server.connect(2);
        assertThat(again.call(read4(sequence(3, session, 2), 4096)).getInt())
                .as("the slot keeps what was answered")
                .isEqualTo(DELAY);
        assertThat(again.call(sequence(1, session, 3)).getInt())
                .as("and goes on")
                .isEqualTo(OK);
        held.forEach(FairCallsTest::release);
        assertThat(again.call(read4(sequence(3, session, 4), 4096)).getInt()).isEqualTo(OK);
        assertThat(server.pool.lentBytes()).isZero();
    }

    @Test
    void connectionEndedBefore_readComesToMemory_doesNotWait() throws Exception {
        List<CompletableFuture<RpcMessage>> held = takeAllMemory();
        LanesServer.Peer gone = server.connect(2);
        gone.end();
        gone.send(read(4096)).get(60, TimeUnit.SECONDS);
        assertThat(server.pool.waitingRequests()).isZero();
        held.forEach(FairCallsTest::release);
        assertThat(server.pool.lentBytes()).isZero();
    }

    @Test
    void twoReadsInOneCompound_memoryForOne_theSecondIsDelayed() throws Exception {
        List<CompletableFuture<RpcMessage>> held = takeAllMemory();
        release(held.removeFirst());
        ByteBuffer results = server.connect(2)
                .call(read4(server.compound(0, 3), MIB)
                        .word(25)
                        .hyper(0)
                        .hyper(0)
                        .hyper(0)
                        .word(MIB));
        assertThat(results.getInt()).isEqualTo(DELAY);
        assertThat(results.getInt(8)).as("the first is answered").isEqualTo(3);
        held.forEach(FairCallsTest::release);
        assertThat(server.pool.lentBytes()).isZero();
    }

    @Test
    void compound_changesLanesInItsMiddle_isDoneOnceAndReplayed() throws Exception {
        LanesServer.Peer client = server.connect(1);
        byte[] session = client.newSession("client");
        ByteBuffer first = client.call(writeCommitWrite(session));
        assertThat(first.getInt(0)).isEqualTo(OK);
        assertThat(server.seen).hasSize(4);
        assertThat(server.seen.get(0)).startsWith("write on operation-data-");
        assertThat(server.seen.get(1)).startsWith("sync on operation-long-");
        assertThat(server.seen.get(2)).startsWith("write on operation-long-");
        ByteBuffer again = server.connect(1).call(writeCommitWrite(session));
        assertThat(again).isEqualTo(first);
        assertThat(server.seen).as("nothing was done twice").hasSize(4);
        assertThat(client.call(sequence(1, session, 3)).getInt()).isEqualTo(OK);
    }

    private NfsCall writeCommitWrite(byte[] session) {
        return sequence(6, session, 2)
                .word(22)
                .opaque(file)
                .word(38)
                .hyper(0)
                .hyper(0)
                .hyper(5)
                .word(0)
                .string("one")
                .word(5)
                .hyper(0)
                .word(0)
                .word(38)
                .hyper(0)
                .hyper(0)
                .hyper(9)
                .word(0)
                .string("two")
                .word(5)
                .hyper(0)
                .word(0);
    }

    @Test
    void compoundWithoutSession_changesLanes_isRememberedWhenItHasEnded() throws Exception {
        NfsCall call = server.compound(0, 3)
                .word(22)
                .opaque(file)
                .word(38)
                .hyper(0)
                .hyper(0)
                .hyper(5)
                .word(0)
                .string("one")
                .word(5)
                .hyper(0)
                .word(0);
        server.shutGate();
        CompletableFuture<RpcMessage> first = server.connect(1).send(call);
        assertThat(server.syncsBegun.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<RpcMessage> again = server.connect(1).send(call);
        server.openGate();
        ByteBuffer answered = LanesServer.results(first);
        assertThat(answered.getInt(0)).isEqualTo(OK);
        assertThat(LanesServer.results(again)).isEqualTo(answered);
        assertThat(server.connect(1).call(call)).isEqualTo(answered);
        assertThat(server.seen).as("one write, one sync").hasSize(2);
    }

    @Test
    void threadsClose_callsWait_allEndAndGiveEverythingBack() throws Exception {
        List<CompletableFuture<RpcMessage>> held = takeAllMemory();
        server.shutGate();
        LanesServer.Peer client = server.connect(1);
        byte[] session = client.newSession("client");
        List<CompletableFuture<RpcMessage>> calls = new ArrayList<>();
        calls.add(client.send(read4(sequence(3, session, 2), 4096)));
        calls.add(client.send(read(4096)));
        awaitWaiting(2);
        for (int i = 0; i < 64; i++) {
            calls.add(client.send(commit()));
        }
        assertThat(server.syncsBegun.tryAcquire(LanesServer.THREADS / 2, 60, TimeUnit.SECONDS))
                .isTrue();
        client.end();
        server.threads.close();
        server.openGate();
        for (CompletableFuture<RpcMessage> each : calls) {
            // Each call is answered, though no client receives the answer, or it is dropped.
            Throwable dropped = catchThrowable(() -> each.get(60, TimeUnit.SECONDS));
            assertThat(each.isDone()).as("%s", dropped).isTrue();
        }
        assertThat(server.pool.waitingRequests()).isZero();
        held.forEach(FairCallsTest::release);
        assertThat(server.pool.lentBytes()).isZero();
    }

    @Test
    void threadsClosed_memoryComes_theCallThatWaitedEnds() throws Exception {
        List<CompletableFuture<RpcMessage>> held = takeAllMemory();
        CompletableFuture<RpcMessage> waiting = server.connect(2).send(read(4096));
        awaitWaiting(1);
        server.threads.close();
        held.forEach(FairCallsTest::release);
        ByteBuffer reply = LanesServer.results(waiting);
        assertThat(reply.getInt()).as("JUKEBOX: the server is closing").isEqualTo(DELAY);
        assertThat(server.pool.lentBytes()).isZero();
    }
}
