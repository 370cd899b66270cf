package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RdmaExtension;

/**
 * A link whose other end is the test itself, with bytes in hex and a manual clock. It is also the upper layer, which
 * only records events.
 */
final class TestLink implements QueuePairLink, QueuePairHandler {
    /** The request of a Linux NFS client. {@link #OPTIONS} answer it with IRD 2, ORD 4. */
    static final String REQUEST = "4d504120494420526571204672616d65 1002 0004 0080 0002";

    static final ConnectOptions OPTIONS = new ConnectOptions(ByteBuffer.allocate(0), 2, 4);

    final Deque<Runnable> tasks = new ArrayDeque<>();
    final List<Completion> completions = new ArrayList<>();
    final List<Throwable> bugs = new ArrayList<>();
    final List<String> writes = new ArrayList<>();
    final QueuePairMachine machine;

    /** Whether writes are reported as sent at once. */
    boolean socketTakes = true;

    boolean takesFileRanges;

    /** Whether our direction is left open after the peer has ended its own. */
    boolean staysHalfClosed;

    Deque<FpduBatch> held = new ArrayDeque<>();

    /** How many bytes of its batches the socket has taken. */
    long takenOfHeldBytes;

    QueuePair created;
    boolean established;
    boolean outputEnded;
    boolean closed;
    int drained;
    Runnable whenEstablished = () -> {};
    Runnable whenDrained = () -> {};
    int reconnects;
    int halfCloses;
    int completedBeforeHalfClose;
    int creations;
    DisconnectReason reason;
    long now = 1;
    private boolean pumping;

    private TestLink(LocalRnic rnic, QueuePairConfig config, ConnectionRequestHandler decider) {
        ConnectionRequestHandler accepting = request -> request.accept(OPTIONS, this);
        machine = QueuePairMachine.responder(this, config, rnic, decider == null ? accepting : decider);
        machine.start();
    }

    private TestLink(LocalRnic rnic, QueuePairConfig config, ConnectOptions options, boolean up) {
        machine = QueuePairMachine.initiator(this, config, rnic, options, this);
        if (up) {
            machine.start();
        }
    }

    /** An initiator whose connection is not up yet. */
    static TestLink waiting(QueuePairConfig config, ConnectOptions options) {
        return new TestLink(rnic(), config, options, false);
    }

    static TestLink responder(QueuePairConfig config, ConnectionRequestHandler decider) {
        return new TestLink(rnic(), config, decider);
    }

    /** A responder that shares an RNIC with others. */
    static TestLink responder(LocalRnic rnic, QueuePairConfig config, ConnectionRequestHandler decider) {
        return new TestLink(rnic, config, decider);
    }

    static TestLink accepting(QueuePairConfig config, ConnectOptions options) {
        return accepting(rnic(), config, options);
    }

    private static TestLink accepting(LocalRnic rnic, QueuePairConfig config, ConnectOptions options) {
        TestLink[] self = new TestLink[1];
        self[0] = responder(rnic, config, request -> request.accept(options, self[0]));
        return self[0];
    }

    static TestLink initiator(QueuePairConfig config, ConnectOptions options) {
        return new TestLink(rnic(), config, options, true);
    }

    private static LocalRnic rnic() {
        return new LocalRnic(new Random(1), RnicLimits.defaults());
    }

    /** A responder that has finished its startup and has received one zero-length message. */
    static TestLink open() {
        return openOn(rnic(), OPTIONS);
    }

    /** An open responder, with all of RFC 7306 switched on. */
    static TestLink extended() {
        return open(OPTIONS.with(RdmaExtension.values()));
    }

    static TestLink open(ConnectOptions options) {
        return openOn(rnic(), options);
    }

    /** An open responder with options, which shares an RNIC with others. */
    static TestLink openOn(LocalRnic rnic, ConnectOptions options) {
        TestLink link = accepting(rnic, QueuePairConfig.defaults(), options);
        link.in(REQUEST);
        link.created.postReceive(100, ByteBuffer.allocate(0));
        link.fpdu("4143 00000000 00000000 00000001 00000000");
        assertThat(link.established).isTrue();
        link.completions.clear();
        link.writes.clear();
        return link;
    }

    void in(String hex) {
        machine.received(Hex.bytes(hex));
        runTasks();
    }

    /** Delivers a ULPDU, framed without CRC. */
    void fpdu(String ulpduHex) {
        ByteBuffer ulpdu = Hex.bytes(ulpduHex);
        int pad = -(2 + ulpdu.remaining()) & 3;
        in(String.format("%04x", ulpdu.remaining()) + Hex.of(ulpdu) + "00".repeat(pad) + "00000000");
    }

    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    void pass(long nanos) {
        now += nanos;
        if (machine.deadlineNanos().isPresent()
                && now >= machine.deadlineNanos().getAsLong()) {
            machine.deadlinePassed();
        }
        runTasks();
    }

    void releaseHeld() {
        while (!held.isEmpty()) {
            machine.sent(held.remove());
        }
        outputReady();
    }

    /** The only write since the last call, in hex. */
    String takeWrite() {
        assertThat(writes).hasSize(1);
        return writes.removeFirst();
    }

    @Override
    public InetSocketAddress localAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 20049);
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 50000);
    }

    @Override
    public boolean inOwnerThread() {
        return true;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public long nowNanos() {
        return now;
    }

    @Override
    public void outputReady() {
        if (machine == null || pumping) {
            return;
        }
        pumping = true;
        while (held.isEmpty()) {
            FpduBatch batch = machine.pull();
            if (batch == null) {
                break;
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (ByteBuffer buffer : batch.pieces().buffers()) {
                byte[] bytes = new byte[buffer.remaining()];
                buffer.duplicate().get(bytes);
                out.writeBytes(bytes);
            }
            writes.add(Hex.of(ByteBuffer.wrap(out.toByteArray())));
            if (socketTakes) {
                machine.sent(batch);
            } else {
                held.add(batch);
            }
        }
        pumping = false;
    }

    @Override
    public boolean takesFileRanges() {
        return takesFileRanges;
    }

    @Override
    public long unsentBytes() {
        return held.stream().mapToLong(FpduBatch::lengthBytes).sum() - takenOfHeldBytes;
    }

    @Override
    public void deadlineChanged() {}

    @Override
    public void endOutput() {
        outputEnded = true;
    }

    /** Uses this link as the new connection too. {@link #connectAgain} brings it up. */
    @Override
    public void reconnect() {
        reconnects++;
        held.clear();
        machine.relink(this);
    }

    void connectAgain() {
        machine.start();
        runTasks();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            machine.linkClosed();
        }
    }

    @Override
    public void internalError(Throwable error) {
        bugs.add(error);
    }

    @Override
    public void created(QueuePair queuePair) {
        created = queuePair;
        creations++;
    }

    @Override
    public void established(QueuePair queuePair) {
        established = true;
        whenEstablished.run();
    }

    @Override
    public void completed(QueuePair queuePair, Completion completion) {
        assertThat(reason).isNull();
        completions.add(completion);
    }

    @Override
    public void completionsDrained(QueuePair queuePair) {
        drained++;
        whenDrained.run();
    }

    @Override
    public void halfClosed(QueuePair queuePair) {
        assertThat(reason).isNull();
        halfCloses++;
        completedBeforeHalfClose = completions.size();
        if (!staysHalfClosed) {
            QueuePairHandler.super.halfClosed(queuePair);
        }
    }

    @Override
    public void disconnected(QueuePair queuePair, DisconnectReason why) {
        assertThat(reason).isNull();
        reason = why;
    }
}
