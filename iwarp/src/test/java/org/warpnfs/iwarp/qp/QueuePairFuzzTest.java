package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.io.MaskedWord;
import org.warpnfs.iwarp.mpa.MarkerInserter;
import org.warpnfs.iwarp.mpa.MpaChoices;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionQueue;
import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.ProtectionDomain;
import org.warpnfs.iwarp.verbs.RdmaExtension;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.SharedReceiveQueue;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * Arbitrary bytes after a startup without CRC, to a queue pair with receives, regions and requests outstanding. Memory
 * changes only where the peer may change it, every posted request completes once, and no defect of ours shows.
 *
 * <p>The first byte of an input determines how the rest is cut. If it is odd, no more output is sent, and the result
 * must be the same as if the bytes had come at once. The bits of the second byte are {@link Option}s. The rest is a
 * stream of FPDUs, not counting markers.
 */
class QueuePairFuzzTest {
    private static final int REGION_BYTES = 64;
    private static final int GUARD_BYTES = 16;
    private static final byte UNTOUCHED = 0x5a;
    private static final int RECEIVES = 6;
    private static final int MAX_INPUT_BYTES = 4096;
    private static final int HEADER_BYTES = 2;

    /** A zero-length Send, which opens the stream. */
    private static final byte[] FIRST_FPDU =
            Hex.bytes("0012 4143 00000000 00000000 00000001 00000000 00000000").array();

    private static final List<Set<AccessRight>> RIGHTS = List.of(
            EnumSet.of(AccessRight.REMOTE_WRITE),
            EnumSet.of(AccessRight.REMOTE_READ),
            EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE),
            EnumSet.noneOf(AccessRight.class),
            EnumSet.of(AccessRight.LOCAL_WRITE),
            EnumSet.of(AccessRight.LOCAL_WRITE));

    /** Deviations from the simplest stream. Each is a bit in the second byte of an input. */
    enum Option {
        /** Markers in both directions. */
        MARKERS(0x01),
        /** RFC 7306, with work of ours and a region for atomic operations. */
        EXTENSIONS(0x02),
        SHARED_RECEIVES(0x04),
        /** Completions go to a queue. */
        POLLED(0x08),
        /** Regions belong to a protection domain. */
        DOMAIN(0x10),
        /** More work is posted after the peer has ended its direction. */
        GOES_ON(0x20),
        /** The upper layer has disconnected when the bytes arrive. */
        PARTING(0x40);

        final int bit;

        Option(int bit) {
            this.bit = bit;
        }
    }

    private static Set<Option> options(byte bits) {
        EnumSet<Option> options = EnumSet.noneOf(Option.class);
        for (Option option : Option.values()) {
            if ((bits & option.bit) != 0) {
                options.add(option);
            }
        }
        return options;
    }

    @FuzzTest
    void anyBytes_connected_changeOnlyWhatThePeerMayChange(byte[] input) {
        if (input.length < HEADER_BYTES || input.length > MAX_INPUT_BYTES) {
            return;
        }
        boolean held = (input[0] & 1) != 0;
        Set<Option> options = options(input[1]);
        byte[] stream = new byte[input.length - HEADER_BYTES];
        System.arraycopy(input, HEADER_BYTES, stream, 0, stream.length);
        Run cut = new Run(options, held);
        cut.take(stream, 1 + ((input[0] & 0xff) >> 1));
        cut.check();
        if (held) {
            Run whole = new Run(options, true);
            whole.take(stream, Integer.MAX_VALUE);
            whole.check();
            assertThat(cut.completions.toString()).isEqualTo(whole.completions.toString());
            assertThat(cut.link.reason).isEqualTo(whole.link.reason);
            assertThat(cut.memory).isEqualTo(whole.memory);
        }
    }

    /** A piece of memory, and the part of it that the peer may change. */
    private record Memory(ByteBuffer bytes, int from, int to) {
        static Memory of(ByteBuffer bytes, int from, int to) {
            for (int i = 0; i < bytes.capacity(); i++) {
                bytes.put(i, UNTOUCHED);
            }
            return new Memory(bytes, from, to);
        }

        void check() {
            checkUntouched(bytes.slice(0, from));
            checkUntouched(bytes.slice(to, bytes.capacity() - to));
        }

        private static void checkUntouched(ByteBuffer bytes) {
            assertThat(Hex.of(bytes)).isEqualTo(String.format("%02x", UNTOUCHED).repeat(bytes.remaining()));
        }
    }

    /** One queue pair and the objects that it was given. */
    private static final class Run {
        final Set<Option> options;
        final MarkerInserter inserter = new MarkerInserter();
        final LocalRnic rnic = new LocalRnic(new Random(1), RnicLimits.defaults());
        final CompletionQueue queue = rnic.createCompletionQueue(100, () -> {});
        final SharedReceiveQueue receives = rnic.createSharedReceiveQueue(100, 100);
        final ProtectionDomain domain = rnic.createProtectionDomain();
        final TestLink link;
        final List<Memory> memory = new ArrayList<>();
        final List<MemoryRegion> regions = new ArrayList<>();
        final List<Completion> completions = new ArrayList<>();
        int posted;

        Run(Set<Option> options, boolean held) {
            this.options = options;
            link = open();
            for (Set<AccessRight> rights : RIGHTS) {
                boolean sink = rights.contains(AccessRight.LOCAL_WRITE);
                boolean writable = sink || rights.contains(AccessRight.REMOTE_WRITE);
                int from = GUARD_BYTES + (sink ? 8 : 0);
                int to = from + (sink ? 32 : REGION_BYTES);
                register(false, from, writable ? to : from, rights);
            }
            for (int i = 0; i < RECEIVES; i++) {
                ByteBuffer receive = memory(false, GUARD_BYTES, GUARD_BYTES + i * 12);
                postReceive(receive.duplicate().position(GUARD_BYTES).limit(GUARD_BYTES + i * 12));
            }
            for (MemoryRegion sink : regions.subList(4, 6)) {
                post(new WorkRequest.RdmaRead(posted++, sink, 8, 32, new RemoteMemory(9, 9)));
            }
            if (options.contains(Option.EXTENSIONS)) {
                register(
                        true,
                        GUARD_BYTES,
                        GUARD_BYTES + REGION_BYTES,
                        EnumSet.of(AccessRight.REMOTE_ATOMIC, AccessRight.REMOTE_READ));
                MaskedWord one = MaskedWord.addend(1);
                post(new WorkRequest.FetchAdd(posted++, new RemoteMemory(9, 16), one, false));
                post(new WorkRequest.CompareSwap(posted++, new RemoteMemory(9, 16), one, one, false));
                post(new WorkRequest.ImmediateData(posted++, 7, true));
            }
            post(WorkRequest.Send.of(posted++, ByteBuffer.allocate(5)));
            link.created.flush();
            if (held) {
                link.socketTakes = false;
                post(WorkRequest.Send.of(posted++, ByteBuffer.allocate(5)));
                link.created.flush();
            }
            if (options.contains(Option.PARTING)) {
                link.created.disconnect();
            }
        }

        private TestLink open() {
            boolean markers = options.contains(Option.MARKERS);
            ConnectOptions offered = TestLink.OPTIONS;
            if (options.contains(Option.EXTENSIONS)) {
                offered = offered.with(RdmaExtension.values());
            }
            if (options.contains(Option.POLLED)) {
                offered = offered.completingTo(queue);
            }
            if (options.contains(Option.SHARED_RECEIVES)) {
                offered = offered.receivingFrom(receives);
            }
            if (options.contains(Option.DOMAIN)) {
                offered = offered.in(domain);
            }
            ConnectOptions accepted = offered;
            TestLink[] self = new TestLink[1];
            self[0] = TestLink.responder(
                    rnic,
                    QueuePairConfig.defaults().withMpa(MpaChoices.defaults().withMarkers(markers)),
                    request -> request.accept(accepted, self[0]));
            // The flag M asks for markers.
            self[0].in(markers ? TestLink.REQUEST.replace("1002", "9002") : TestLink.REQUEST);
            if (options.contains(Option.SHARED_RECEIVES)) {
                receives.postReceive(-1, ByteBuffer.allocate(0));
            } else {
                self[0].created.postReceive(-1, ByteBuffer.allocate(0));
            }
            self[0].machine.received(ByteBuffer.wrap(markers ? inserter.insert(FIRST_FPDU) : FIRST_FPDU));
            self[0].runTasks();
            assertThat(self[0].established).isTrue();
            if (options.contains(Option.POLLED)) {
                assertThat(queue.poll()).isNotNull();
            } else {
                assertThat(self[0].completions).hasSize(1);
                self[0].completions.clear();
            }
            self[0].staysHalfClosed = options.contains(Option.GOES_ON);
            return self[0];
        }

        private ByteBuffer memory(boolean direct, int from, int to) {
            int lengthBytes = GUARD_BYTES + REGION_BYTES + GUARD_BYTES;
            ByteBuffer bytes = direct ? ByteBuffer.allocateDirect(lengthBytes) : ByteBuffer.allocate(lengthBytes);
            memory.add(Memory.of(bytes, from, to));
            return bytes;
        }

        private void register(boolean direct, int from, int to, Set<AccessRight> rights) {
            ByteBuffer bytes =
                    memory(direct, from, to).duplicate().position(GUARD_BYTES).limit(GUARD_BYTES + REGION_BYTES);
            regions.add(
                    options.contains(Option.DOMAIN)
                            ? domain.register(bytes, rights)
                            : link.created.register(bytes, rights));
        }

        private void postReceive(ByteBuffer receive) {
            if (options.contains(Option.SHARED_RECEIVES)) {
                receives.postReceive(posted++, receive);
            } else {
                link.created.postReceive(posted++, receive);
            }
        }

        private void post(WorkRequest request) {
            link.created.post(request);
        }

        void take(byte[] fpdus, int pieceBytes) {
            byte[] stream = options.contains(Option.MARKERS) ? inserter.insert(fpdus) : fpdus;
            for (int at = 0; at < stream.length; ) {
                int length = Math.min(pieceBytes, stream.length - at);
                link.machine.received(ByteBuffer.wrap(stream, at, length));
                link.runTasks();
                at += length;
            }
            link.machine.receivedEnd();
            link.runTasks();
            if (link.staysHalfClosed && link.reason == null) {
                post(WorkRequest.Send.of(posted++, ByteBuffer.allocate(5)));
                link.created.flush();
                link.created.disconnect();
                link.runTasks();
            }
            link.machine.linkClosed();
            link.runTasks();
            completions.addAll(link.completions);
            for (CompletionQueue.Entry entry = queue.poll(); entry != null; entry = queue.poll()) {
                completions.add(entry.completion());
            }
        }

        void check() {
            assertThat(link.bugs).isEmpty();
            assertThat(link.reason).isNotNull();
            assertThat(link.halfCloses).isLessThanOrEqualTo(1);
            assertThat(completions)
                    .extracting(Completion::workRequestId)
                    .doesNotHaveDuplicates()
                    .hasSize(posted - receives.size());
            for (MemoryRegion region : regions) {
                assertThat(region.valid()).isEqualTo(options.contains(Option.DOMAIN));
                region.invalidate();
            }
            memory.forEach(Memory::check);
            queue.close();
            domain.close();
        }
    }
}
