package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.sim.LinkFaults;
import org.warpnfs.iwarp.sim.Simulation;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.DisconnectReason;
import org.warpnfs.iwarp.verbs.DisconnectReason.Cause;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.QueuePair;
import org.warpnfs.iwarp.verbs.QueuePairHandler;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.testkit.Seeds;

/** One of two queue pairs parts at any moment, while the other has much to send: random work, cuts and delays. */
class HalfCloseSimulationTest {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 20049);
    private static final ConnectOptions OPTIONS = new ConnectOptions(ByteBuffer.allocate(0), 5, 7);
    private static final int WORK = 40;
    private static final int LEAVING_SENDS = 7;
    private static final int REGION_BYTES = 60_000;

    /** Flags, revision and length of a frame, then its private data. */
    private static final int FRAME_LENGTH_OFFSET = 18;

    /** Notes what it hears. Both ends have the same memory for each other. */
    private static class End implements QueuePairHandler {
        QueuePair queuePair;
        MemoryRegion memory;
        final List<Completion> completions = new ArrayList<>();
        final List<Completion> received = new ArrayList<>();
        int receivedBeforeHalfClose = -1;
        DisconnectReason reason;

        @Override
        public void created(QueuePair created) {
            queuePair = created;
            memory = created.register(
                    ByteBuffer.allocateDirect(REGION_BYTES),
                    EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE));
            for (int i = 0; i < WORK; i++) {
                created.postReceive(i, ByteBuffer.allocateDirect(REGION_BYTES));
            }
        }

        @Override
        public void completed(QueuePair pair, Completion completion) {
            assertThat(reason).isNull();
            (completion instanceof Completion.Received ? received : completions).add(completion);
        }

        @Override
        public void halfClosed(QueuePair pair) {
            assertThat(reason).isNull();
            assertThat(receivedBeforeHalfClose).isNegative();
            receivedBeforeHalfClose = received.size();
            QueuePairHandler.super.halfClosed(pair);
        }

        @Override
        public void disconnected(QueuePair pair, DisconnectReason why) {
            assertThat(reason).isNull();
            reason = why;
        }
    }

    private static WorkRequest randomWork(long id, SplittableRandom random, End near, End far) {
        boolean fence = random.nextInt(6) == 0;
        int lengthBytes = random.nextInt(REGION_BYTES);
        RemoteMemory remote = new RemoteMemory(far.memory.stag(), far.memory.taggedOffset());
        List<ByteBuffer> bytes = List.of(ByteBuffer.allocateDirect(lengthBytes));
        return switch (random.nextInt(3)) {
            case 0 -> new WorkRequest.Send(id, bytes, false, OptionalLong.empty(), fence);
            case 1 -> new WorkRequest.RdmaWrite(id, bytes, remote, fence);
            default ->
                new WorkRequest.RdmaRead(
                        id,
                        near.queuePair.register(
                                ByteBuffer.allocateDirect(lengthBytes), EnumSet.of(AccessRight.LOCAL_WRITE)),
                        0,
                        lengthBytes,
                        remote,
                        fence);
        };
    }

    /** Kinds of the messages in a stream that has to end behind a whole FPDU, without CRC: Sends, Writes, Read Requests. */
    private static List<String> messages(ByteBuffer stream) {
        stream.position(FRAME_LENGTH_OFFSET);
        int privateBytes = stream.getShort();
        stream.position(stream.position() + privateBytes);
        List<String> kinds = new ArrayList<>();
        while (stream.hasRemaining()) {
            int ulpduBytes = Short.toUnsignedInt(stream.getShort());
            int control = Short.toUnsignedInt(stream.getShort(stream.position()));
            stream.position(stream.position() + ulpduBytes + (-(2 + ulpduBytes) & 3) + 4);
            if ((control & 0x4000) != 0) {
                switch (control & 0xf) {
                    case 0 -> kinds.add("Written");
                    case 1 -> {} // a Read Request
                    case 3 -> kinds.add("Sent");
                    default -> throw new AssertionError("control " + Integer.toHexString(control));
                }
            }
        }
        return kinds;
    }

    /** What the rules make of the work: all leaves but Reads that are lost, and what is behind a fence against one. */
    private static void checkOutcomes(List<WorkRequest> posted, List<Completion> completions, List<String> left) {
        assertThat(completions)
                .extracting(Completion::workRequestId)
                .containsExactlyElementsOf(posted.stream().map(WorkRequest::id).toList());
        List<String> expected = new ArrayList<>();
        boolean lost = false;
        boolean cut = false;
        for (int i = 0; i < posted.size(); i++) {
            boolean success = completions.get(i).status() == CompletionStatus.SUCCESS;
            if (posted.get(i) instanceof WorkRequest.RdmaRead) {
                assertThat(success && lost)
                        .as("a Read behind one that was lost")
                        .isFalse();
                lost |= !success;
                continue;
            }
            cut |= lost && posted.get(i).fence();
            assertThat(success).as("work %s", i).isEqualTo(!cut);
            if (success) {
                expected.add(completions.get(i).getClass().getSimpleName());
            } else {
                assertThat(completions.get(i).status()).isEqualTo(CompletionStatus.FLUSHED);
            }
        }
        assertThat(left).isEqualTo(expected);
    }

    @Test
    void onePartsAtAnyMoment_theOthersWorkLeavesByTheRules() {
        int[] endsSeen = new int[2];
        Seeds.each(150, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            Simulation simulation = new Simulation(
                    seed,
                    QueuePairConfig.defaults().withMulpduBytes(seed % 2 == 0 ? 1442 : 9000),
                    seed % 5 == 0 ? LinkFaults.none() : LinkFaults.cuts());
            ByteArrayOutputStream carried = new ByteArrayOutputStream();
            simulation.tap((from, to, bytes) -> {
                if (from.equals(ADDRESS)) {
                    byte[] piece = new byte[bytes.remaining()];
                    bytes.get(piece);
                    carried.writeBytes(piece);
                }
            });
            List<WorkRequest> posted = new ArrayList<>();
            End leaving = new End() {
                @Override
                public void established(QueuePair pair) {
                    for (int i = 0; i < LEAVING_SENDS; i++) {
                        pair.post(WorkRequest.Send.of(i, ByteBuffer.allocateDirect(i * 1000)));
                    }
                    pair.flush();
                    simulation.schedule(random.nextLong(400_000_000), pair::disconnect);
                }
            };
            End staying = new End() {
                @Override
                public void established(QueuePair pair) {
                    for (int i = 0; i < WORK; i++) {
                        WorkRequest work = randomWork(i, random, this, leaving);
                        posted.add(work);
                        pair.post(work);
                    }
                    pair.flush();
                }
            };
            simulation.listen(ADDRESS, request -> request.accept(OPTIONS, staying));
            simulation.connector().connect(ADDRESS, OPTIONS, leaving);
            simulation.run();

            assertThat(simulation.internalErrors()).isEmpty();
            assertThat(leaving.reason.cause()).isEqualTo(Cause.LOCAL_CLOSE);
            assertThat(staying.reason.cause()).isEqualTo(Cause.PEER_CLOSE);
            assertThat(staying.receivedBeforeHalfClose).isEqualTo(LEAVING_SENDS);
            assertThat(staying.received)
                    .hasSize(WORK)
                    .filteredOn(completion -> completion.status() == CompletionStatus.SUCCESS)
                    .hasSize(LEAVING_SENDS);
            checkOutcomes(posted, staying.completions, messages(ByteBuffer.wrap(carried.toByteArray())));
            boolean all = staying.completions.stream()
                    .allMatch(completion -> completion.status() == CompletionStatus.SUCCESS);
            endsSeen[all ? 1 : 0]++;
        });
        if (Long.getLong("warpnfs.seed") == null && Integer.getInteger("warpnfs.seeds") == null) {
            assertThat(endsSeen).as("ends in the middle, and behind it all").doesNotContain(0);
        }
    }
}
