package org.warpnfs.iwarp.qp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.iwarp.mpa.FpduBatch;
import org.warpnfs.iwarp.mpa.SentPieces;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;
import org.warpnfs.payload.FileRange;

/** RDMA Writes whose bytes are in a file. */
class FileWriteTest {
    private static final RemoteMemory SINK = new RemoteMemory(7, 0x1000);

    /** A range of bytes that count. */
    private record Counting(int lengthBytes) implements FileRange {
        byte[] part(int from, int partBytes) {
            byte[] part = new byte[partBytes];
            for (int i = 0; i < partBytes; i++) {
                part[i] = (byte) ((from + i) * 31);
            }
            return part;
        }

        @Override
        public Object store() {
            return this;
        }

        @Override
        public boolean isCached(int from, int partBytes) {
            return true;
        }

        @Override
        public int read(int from, ByteBuffer sink) {
            throw new AssertionError("the bytes are not needed");
        }

        @Override
        public int sendTo(int socket, int from, int partBytes) {
            throw new AssertionError("there is no socket");
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }

    private static TestLink connected(boolean crc) {
        TestLink link = TestLink.responder(QueuePairConfig.defaults().withMulpduBytes(1500), null);
        link.in(crc ? TestLink.REQUEST.replace("1002 0004", "5002 0004") : TestLink.REQUEST);
        link.created.postReceive(1, ByteBuffer.allocate(5));
        link.in("0017 4143 00000000 00000000 00000001 00000000 52444d4121 000000 " + (crc ? "489124f5" : "00000000"));
        link.writes.clear();
        link.socketTakes = false;
        return link;
    }

    private static ByteBuffer bytes(FpduBatch batch) {
        return SentPieces.bytes(batch.pieces(), part -> {
            byte[] inFile = ((Counting) part.range()).part(part.from(), part.lengthBytes());
            if (part.trailer() != null) {
                part.trailer().complete(ByteBuffer.wrap(inFile));
            }
            return ByteBuffer.wrap(inFile);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fileWrite_ofAnOddPart_isFramedAsOneOfMemory(boolean crc) {
        Counting range = new Counting(9000);
        TestLink fromFile = connected(crc);
        fromFile.takesFileRanges = true;
        fromFile.created.post(new WorkRequest.FileWrite(1, range, 1001, 7001, SINK));
        fromFile.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(300)));
        fromFile.created.flush();

        TestLink fromMemory = connected(crc);
        ByteBuffer source = ByteBuffer.wrap(range.part(1001, 7001));
        fromMemory.created.post(new WorkRequest.RdmaWrite(1, List.of(source), SINK));
        fromMemory.created.post(WorkRequest.Send.of(2, ByteBuffer.allocate(300)));
        fromMemory.created.flush();

        FpduBatch batch = fromFile.held.element();
        assertThat(batch.pieces().parts()).hasSize(1).allMatch(part -> crc == (part.trailer() != null));
        assertThat(batch.lengthBytes()).isEqualTo(batch.pieces().lengthBytes());
        assertThat(bytes(batch)).isEqualTo(bytes(fromMemory.held.element()));
        assertThatThrownBy(batch::buffers).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void fileWrite_whereTheLinkTakesNone_isRefused() {
        TestLink link = connected(false);
        assertThat(link.created.takesFileRanges()).isFalse();
        WorkRequest write = new WorkRequest.FileWrite(1, new Counting(10), 0, 10, SINK);
        assertThatThrownBy(() -> link.created.post(write)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void fileWrite_withMarkersOrTooEarly_isRefused() {
        for (String flags : List.of("4002", "8002", "1002")) {
            TestLink link = TestLink.responder(QueuePairConfig.defaults(), null);
            link.takesFileRanges = true;
            if (link.created != null) {
                assertThat(link.created.takesFileRanges()).isFalse();
            }
            link.in(TestLink.REQUEST.replace("1002 0004", flags + " 0004"));
            assertThat(link.created.takesFileRanges()).as(flags).isEqualTo(!flags.equals("8002"));
        }
    }

    @Test
    void fileWrite_beyondItsRange_isNotMade() {
        Counting range = new Counting(10);
        assertThatThrownBy(() -> new WorkRequest.FileWrite(1, range, 5, 6, SINK))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WorkRequest.FileWrite(1, range, -1, 6, SINK))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
