package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.locks.SteppedLocks;
import org.warpnfs.nfs.nlm.NlmLimits;
import org.warpnfs.nfs.nlm.NlmServer;
import org.warpnfs.nfs.nlm.NsmProgram;
import org.warpnfs.nfs.nlm.NsmStore;
import org.warpnfs.nfs.nlm.OtherPrograms;
import org.warpnfs.nfs.nlm.PeerCall;
import org.warpnfs.nfs.nlm.PeerCalls;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.NlmClient;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.state.recovery.FakeRecoveryLog;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** A file that Ann and Bea have open by NFSv4.2, and that Carl and Dora lock by NLM. */
final class FileOfBothProtocols implements PeerCalls, AutoCloseable {
    static final int WRITE_LT = 2;
    static final int WRITEW_LT = 4;

    private static final int SM_NOTIFY = 6;

    final SteppedLocks locks = new SteppedLocks();
    final FakeRecoveryLog journal = new FakeRecoveryLog();
    final V4Server server = started(locks, journal);
    final V4Client ann = V4Client.callable(server, "ann", 0);
    final V4Client bea = V4Client.callable(server, "bea", 0);
    /** The hosts that were called to say that a lock is granted. */
    final Queue<String> granted = new ArrayDeque<>();

    final NlmServer nlm;
    final NlmClient carl;
    final NlmClient dora;
    final byte[] handle;
    final int[] ofAnn;
    final int[] ofBea;

    FileOfBothProtocols() throws Exception {
        this(null);
    }

    /** @param store what NSM has from before a restart; null for nothing */
    FileOfBothProtocols(@Nullable NsmStore store) throws Exception {
        // The first to open it would get one to write, and lock without asking.
        server.program().setDelegations(DelegationPolicy.READ);
        ofAnn = ann.create("f");
        ofBea = bea.open("o", "f", 3);
        nlm = new NlmServer(
                server.exports,
                server.handles,
                server.locks,
                NlmLimits.DEFAULT,
                store,
                V4Server.LEASE,
                new OtherPrograms(
                        server.program()::letGo,
                        server.program()::isGraceRunning,
                        server.program()::isRecovering,
                        () -> true,
                        this,
                        server.program().fileChanges(),
                        server.program()::reserve),
                CallRecorder.NONE,
                () -> server.nowNanos);
        handle = server.handles.encode(new Location(server.exports.byPath(PseudoPath.of("/data")), server.find("f")));
        carl = new NlmClient(nlm.nlm(), address(3), handle);
        dora = new NlmClient(nlm.nlm(), address(4), handle);
    }

    private static V4Server started(SteppedLocks locks, FakeRecoveryLog journal) {
        V4Server server = new V4Server().with(locks.service());
        server.with(journal);
        return server;
    }

    private static InetAddress address(int lastOctet) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 9, 0, (byte) lastOctet});
    }

    @Override
    public void close() {
        server.close();
    }

    @Override
    public CompletionStage<ByteBuffer> call(PeerCall call) {
        granted.add(call.host().getHostAddress());
        return new CompletableFuture<>();
    }

    @Override
    public void after(long delayNanos, Runnable task) {
        // No call is repeated here.
    }

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    static Ops file() {
        return new Ops().data().lookup("f");
    }

    /** Locks ten bytes, as an owner that has the client's name. */
    int[] locked(V4Client client, int[] open, long offset) {
        return stateidOf(client.run(file().lock(WRITEW_LT, false, offset, 10, open, client.name)), OpCode.LOCK);
    }

    /** The stateid that an operation behind {@link #file} returned. */
    static int[] stateidOf(Reply reply, OpCode code) {
        reply.afterFile().op(code);
        return reply.stateid();
    }

    static Nfs4Status ask(V4Client client, int type, int[] open, long offset) {
        return client.statusOf(file().lock(type, false, offset, 10, open, client.name));
    }

    static void assertToldOfItsTurn(V4Client client) {
        CallbackSeen told = client.nextCallback();
        assertThat(told).as("a call to %s", client.name).isNotNull();
        assertThat(told.operation).isEqualTo(CallbackSeen.CB_NOTIFY_LOCK);
        client.answerRecall(told, 0);
    }

    /** Carl's host tells by NSM that it has restarted. */
    void carlRestarts() {
        byte[] restarted = CallWriter.call(9, NsmProgram.PROGRAM, NsmProgram.VERSION, SM_NOTIFY)
                .authNone()
                .string("client.lab")
                .words(5)
                .toBytes();
        try {
            ReplyKeeper.call(nlm.nsm(), new InetSocketAddress(address(3), 701), restarted);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
