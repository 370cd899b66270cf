package org.warpnfs.iwarp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SplittableRandom;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * An upper layer that posts random work. It is told outside of the connection what its counterpart posted, so that it
 * can check all that arrives.
 */
final class RandomPeer implements QueuePairHandler {
    static final int RECEIVES = 32;
    static final int RECEIVE_BYTES = 9_000;
    private static final int REGION_BYTES = 300_000;
    private static final int MAX_POSTED = 24;

    final List<Completion> failed = new ArrayList<>();
    private final SplittableRandom random;
    private int toPost;
    private final Deque<Posted> posted = new ArrayDeque<>();

    /** Sends that are on their way to the peer, which it checks on arrival. */
    private final Deque<SentMessage> messages = new ArrayDeque<>();

    private final Deque<Long> receives = new ArrayDeque<>();
    private final Map<Long, MemoryRegion> readSinks = new HashMap<>();
    private long nextId = 1;
    private RandomPeer peer;
    private QueuePair queuePair;
    private MemoryRegion writable;
    private MemoryRegion readable;
    private MemoryRegion victim;
    private byte[] expectedAtPeer = new byte[REGION_BYTES];
    boolean established;
    volatile DisconnectReason disconnected;
    private int writes;
    int completed;

    private record Posted(WorkRequest request, ByteBuffer readExpected) {}

    private record SentMessage(ByteBuffer bytes, boolean solicited, OptionalLong invalidated, int writesBefore) {}

    /** Runs when both ends have done all their work. */
    Runnable whenBothDone = () -> {};

    /** Runs when the connection has ended. */
    Runnable whenDisconnected = () -> {};

    RandomPeer(long seed, int work) {
        random = new SplittableRandom(seed);
        toPost = work;
    }

    void joins(RandomPeer twin) {
        peer = twin;
    }

    boolean done() {
        return toPost == 0 && posted.isEmpty() && messages.isEmpty();
    }

    QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public void created(QueuePair created) {
        queuePair = created;
        for (int i = 0; i < RECEIVES; i++) {
            postReceive();
        }
        writable = created.register(ByteBuffer.allocateDirect(REGION_BYTES), EnumSet.of(AccessRight.REMOTE_WRITE));
        ByteBuffer source = ByteBuffer.allocateDirect(REGION_BYTES);
        byte[] bytes = new byte[REGION_BYTES];
        new Random(random.nextLong()).nextBytes(bytes);
        source.put(bytes).flip();
        readable = created.register(source, EnumSet.of(AccessRight.REMOTE_READ));
        victim = newVictim();
    }

    private MemoryRegion newVictim() {
        return queuePair.register(ByteBuffer.allocate(16), EnumSet.of(AccessRight.REMOTE_WRITE));
    }

    private void postReceive() {
        long id = nextId++;
        receives.add(id);
        ByteBuffer buffer = ByteBuffer.allocateDirect(RECEIVE_BYTES + 8).position(8);
        queuePair.postReceive(id, buffer);
    }

    @Override
    public void established(QueuePair pair) {
        established = true;
        work();
    }

    @Override
    public void completed(QueuePair pair, Completion completion) {
        completed++;
        assertThat(disconnected).isNull();
        if (completion instanceof Completion.Received received) {
            assertThat(received.workRequestId()).isEqualTo(receives.remove());
            if (received.status() == CompletionStatus.SUCCESS) {
                check(received);
                postReceive();
            } else {
                failed.add(completion);
            }
            return;
        }
        Posted first = posted.remove();
        assertThat(completion.workRequestId()).isEqualTo(first.request().id());
        if (completion.status() != CompletionStatus.SUCCESS) {
            failed.add(completion);
        } else if (completion instanceof Completion.ReadDone) {
            MemoryRegion sink = readSinks.remove(completion.workRequestId());
            ByteBuffer expected = first.readExpected();
            assertThat(sink.memory().slice(0, expected.remaining())).isEqualTo(expected);
            sink.invalidate();
        }
    }

    private void check(Completion.Received received) {
        SentMessage sent = peer.messages.remove();
        assertThat(received.buffer()).isEqualTo(sent.bytes());
        assertThat(received.solicitedEvent()).isEqualTo(sent.solicited());
        assertThat(received.invalidatedStag()).isEqualTo(sent.invalidated());
        // All Writes before a Send have been placed when the Send is delivered (RFC 5040, section 5.5). Later ones may
        // have been placed too.
        if (sent.writesBefore() == peer.writes) {
            peer.checkRegionAtPeer();
        }
        if (sent.invalidated().isPresent()) {
            assertThat(victim.valid()).isFalse();
            victim = newVictim();
        }
    }

    @Override
    public void completionsDrained(QueuePair pair) {
        if (established) {
            work();
        }
        if (peer.established) {
            peer.queuePair.execute(peer::work);
        }
        if (done() && peer.done()) {
            whenBothDone.run();
        }
    }

    private void work() {
        while (toPost > 0
                && posted.size() < MAX_POSTED
                && messages.size() < RECEIVES
                && peer.queuePair != null
                && disconnected == null) {
            toPost--;
            postOne();
        }
        if (disconnected == null) {
            queuePair.flush();
        }
    }

    private void postOne() {
        long id = nextId++;
        switch (random.nextInt(4)) {
            case 0, 1 -> postSend(id);
            case 2 -> postWrite(id);
            default -> postRead(id);
        }
    }

    private void postSend(long id) {
        byte[] bytes = bytes(random.nextInt(5) == 0 ? 0 : random.nextInt(RECEIVE_BYTES + 1));
        boolean invalidates = messages.stream().noneMatch(m -> m.invalidated().isPresent())
                && peer.victim != null
                && random.nextInt(6) == 0;
        OptionalLong invalidate = invalidates ? OptionalLong.of(peer.victim.stag()) : OptionalLong.empty();
        boolean solicited = random.nextBoolean();
        messages.add(new SentMessage(ByteBuffer.wrap(bytes), solicited, invalidate, writes));
        post(new WorkRequest.Send(id, pieces(bytes), solicited, invalidate), null);
    }

    private void postWrite(long id) {
        byte[] bytes = bytes(random.nextInt(8) == 0 ? 0 : random.nextInt(100_000));
        int offset = random.nextInt(REGION_BYTES - bytes.length + 1);
        writes++;
        System.arraycopy(bytes, 0, expectedAtPeer, offset, bytes.length);
        post(
                new WorkRequest.RdmaWrite(
                        id,
                        pieces(bytes),
                        new RemoteMemory(peer.writable.stag(), peer.writable.taggedOffset() + offset)),
                null);
    }

    private void postRead(long id) {
        int length = random.nextInt(8) == 0 ? 0 : random.nextInt(100_000);
        int offset = random.nextInt(REGION_BYTES - length + 1);
        ByteBuffer expected = peer.readable.memory().slice(offset, length);
        MemoryRegion sink =
                queuePair.register(ByteBuffer.allocateDirect(length + 10), EnumSet.of(AccessRight.LOCAL_WRITE));
        readSinks.put(id, sink);
        post(
                new WorkRequest.RdmaRead(
                        id,
                        sink,
                        0,
                        length,
                        new RemoteMemory(peer.readable.stag(), peer.readable.taggedOffset() + offset)),
                expected);
    }

    private void post(WorkRequest request, ByteBuffer readExpected) {
        posted.add(new Posted(request, readExpected));
        queuePair.post(request);
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private List<ByteBuffer> pieces(byte[] bytes) {
        List<ByteBuffer> pieces = new ArrayList<>();
        int from = 0;
        while (from < bytes.length) {
            int length = Math.min(bytes.length - from, 1 + random.nextInt(random.nextBoolean() ? 100 : 70_000));
            pieces.add(
                    random.nextBoolean()
                            ? ByteBuffer.wrap(bytes, from, length)
                            : ByteBuffer.allocateDirect(length)
                                    .put(bytes, from, length)
                                    .flip());
            from += length;
        }
        return pieces;
    }

    /** Compares the final contents of the peer's writable region with what was written to it. */
    void checkRegionAtPeer() {
        byte[] region = new byte[REGION_BYTES];
        peer.writable.memory().get(region);
        assertThat(region).isEqualTo(expectedAtPeer);
    }

    @Override
    public void disconnected(QueuePair pair, DisconnectReason reason) {
        assertThat(disconnected).isNull();
        disconnected = reason;
        whenDisconnected.run();
        assertThat(posted).isEmpty();
        assertThat(receives).isEmpty();
        if (writable != null) {
            assertThat(writable.valid()).isFalse();
            assertThat(readable.valid()).isFalse();
        }
    }
}
