package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.verbs.AccessRight;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.MemoryRegion;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/**
 * Any bytes behind a startup without CRC, to a queue pair with receives, regions and Reads: memory changes only where the peer
 * may write, everything posted completes once, and no defect of ours shows.
 *
 * <p>The first byte of an input cuts the rest. If it is odd, nothing of ours leaves any more; then all is the same as if the
 * bytes had come at once.
 */
class QueuePairFuzzTest {
    private static final int REGION_BYTES = 64;
    private static final int GUARD_BYTES = 16;
    private static final byte UNTOUCHED = 0x5a;
    private static final int RECEIVES = 6;
    private static final int MAX_INPUT_BYTES = 4096;

    private static final List<Set<AccessRight>> RIGHTS = List.of(
            EnumSet.of(AccessRight.REMOTE_WRITE),
            EnumSet.of(AccessRight.REMOTE_READ),
            EnumSet.of(AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE),
            EnumSet.noneOf(AccessRight.class),
            EnumSet.of(AccessRight.LOCAL_WRITE),
            EnumSet.of(AccessRight.LOCAL_WRITE));

    @FuzzTest
    void anyBytes_connected_changeOnlyWhatThePeerMayChange(byte[] input) {
        if (input.length < 1 || input.length > MAX_INPUT_BYTES) {
            return;
        }
        boolean held = (input[0] & 1) != 0;
        byte[] stream = new byte[input.length - 1];
        System.arraycopy(input, 1, stream, 0, stream.length);
        Run cut = new Run(held);
        cut.take(stream, 1 + ((input[0] & 0xff) >> 1));
        cut.check();
        if (held) {
            Run whole = new Run(true);
            whole.take(stream, Math.max(1, stream.length));
            whole.check();
            assertThat(cut.link.completions.toString()).isEqualTo(whole.link.completions.toString());
            assertThat(cut.link.reason).isEqualTo(whole.link.reason);
            assertThat(cut.memory).isEqualTo(whole.memory);
        }
    }

    /** One queue pair and what was given to it. */
    private static final class Run {
        final TestLink link = TestLink.open();
        final List<ByteBuffer> memory = new ArrayList<>();
        final List<MemoryRegion> regions = new ArrayList<>();
        int posted;

        Run(boolean held) {
            for (Set<AccessRight> rights : RIGHTS) {
                ByteBuffer region = untouched();
                regions.add(link.created.register(
                        region.duplicate().position(GUARD_BYTES).limit(GUARD_BYTES + REGION_BYTES), rights));
            }
            for (int i = 0; i < RECEIVES; i++) {
                ByteBuffer receive = untouched();
                link.created.postReceive(
                        posted++, receive.duplicate().position(GUARD_BYTES).limit(GUARD_BYTES + i * 12));
            }
            for (MemoryRegion sink : regions.subList(4, 6)) {
                link.created.post(new WorkRequest.RdmaRead(posted++, sink, 8, 32, new RemoteMemory(9, 9)));
            }
            link.created.post(WorkRequest.Send.of(posted++, ByteBuffer.allocate(5)));
            link.created.flush();
            if (held) {
                link.socketTakes = false;
                link.created.post(WorkRequest.Send.of(posted++, ByteBuffer.allocate(5)));
                link.created.flush();
            }
        }

        private ByteBuffer untouched() {
            ByteBuffer bytes = ByteBuffer.allocate(GUARD_BYTES + REGION_BYTES + GUARD_BYTES);
            for (int i = 0; i < bytes.capacity(); i++) {
                bytes.put(i, UNTOUCHED);
            }
            memory.add(bytes);
            return bytes;
        }

        void take(byte[] stream, int pieceBytes) {
            for (int at = 0; at < stream.length; at += pieceBytes) {
                int length = Math.min(pieceBytes, stream.length - at);
                link.machine.received(ByteBuffer.wrap(stream, at, length));
                link.runTasks();
            }
            link.machine.receivedEnd();
            link.runTasks();
            link.machine.linkClosed();
            link.runTasks();
        }

        void check() {
            assertThat(link.bugs).isEmpty();
            assertThat(link.reason).isNotNull();
            assertThat(link.completions)
                    .extracting(Completion::workRequestId)
                    .doesNotHaveDuplicates()
                    .hasSize(posted);
            for (MemoryRegion region : regions) {
                assertThat(region.valid()).isFalse();
            }
            for (int i = 0; i < memory.size(); i++) {
                boolean writable = i != 1 && i != 3;
                boolean sink = i == 4 || i == 5;
                int from = GUARD_BYTES + (sink ? 8 : 0);
                int room = i < RIGHTS.size() ? REGION_BYTES : (i - RIGHTS.size()) * 12;
                int to = !writable ? from : from + (sink ? 32 : room);
                checkUntouched(memory.get(i).slice(0, from));
                checkUntouched(memory.get(i).slice(to, memory.get(i).capacity() - to));
            }
        }

        private static void checkUntouched(ByteBuffer bytes) {
            assertThat(Hex.of(bytes)).isEqualTo(String.format("%02x", UNTOUCHED).repeat(bytes.remaining()));
        }
    }
}
