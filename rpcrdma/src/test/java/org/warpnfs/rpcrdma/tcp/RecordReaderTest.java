package org.warpnfs.rpcrdma.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.warpnfs.testkit.Seeds;

/** RFC 5531, section 11, with the stream cut in any way and read into any buffer. */
class RecordReaderTest {
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int MAX_RECORD_BYTES = 1 << 20;

    private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

    /** Reads like a socket: into the target if there is one, else into a buffer of its own. */
    private static int read(ByteBufAllocator allocator, RecordReader reader, ByteBuffer stream, int atMost) {
        ByteBuf target = reader.target();
        ByteBuf into = target != null ? target : allocator.directBuffer(atMost, atMost);
        int bytes = Math.min(Math.min(atMost, stream.remaining()), into.capacity() - into.writerIndex());
        into.writeBytes(stream.slice(stream.position(), bytes));
        stream.position(stream.position() + bytes);
        reader.add(into);
        return bytes;
    }

    @Test
    void records_cutAnywhere_comeOutWhole() {
        Seeds.each(12, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            List<byte[]> records = new ArrayList<>();
            ByteBuffer stream = ByteBuffer.allocate(8 << 20);
            for (int i = 0; i < 5; i++) {
                byte[] record = new byte[random.nextInt(1 << random.nextInt(1, 21))];
                random.nextBytes(record);
                records.add(record);
                int from = 0;
                while (from < record.length && random.nextInt(3) == 0) {
                    int length = random.nextInt(record.length - from + 1);
                    stream.putInt(length).put(record, from, length);
                    from += length;
                }
                stream.putInt(LAST_FRAGMENT | record.length - from).put(record, from, record.length - from);
            }
            stream.flip();
            RecordReader reader = new RecordReader(allocator, MAX_RECORD_BYTES, RecordBudget.UNLIMITED);
            List<byte[]> found = new ArrayList<>();
            int mostBytes = 1 + random.nextInt(1 << random.nextInt(1, 19));
            while (stream.hasRemaining()) {
                read(allocator, reader, stream, 1 + random.nextInt(mostBytes));
                for (ByteBuf record = reader.next(); record != null; record = reader.next()) {
                    byte[] bytes = new byte[record.readableBytes()];
                    record.readBytes(bytes);
                    record.release();
                    found.add(bytes);
                }
            }
            assertThat(found).containsExactlyElementsOf(records);
            assertThat(reader.insideRecord()).isFalse();
            reader.close();
        });
    }

    @Test
    void largeRecord_begun_isReadStraightIntoItsBuffer() throws Exception {
        RecordReader reader = new RecordReader(allocator, MAX_RECORD_BYTES, RecordBudget.UNLIMITED);
        ByteBuffer stream = ByteBuffer.allocate(4 + (1 << 20));
        stream.putInt(LAST_FRAGMENT | 1 << 20).clear();
        assertThat(reader.target()).isNull();
        read(allocator, reader, stream, 40_000);
        assertThat(reader.next()).isNull();
        assertThat(read(allocator, reader, stream, Integer.MAX_VALUE)).isEqualTo((1 << 20) - 39_996);
        ByteBuf record = reader.next();
        assertThat(record.readableBytes()).isEqualTo(1 << 20);
        assertThat(record.release()).as("nobody else holds it").isTrue();
    }

    @Test
    void largeRecord_claimed_reservesNoMoreThanWhatHasComeJustifies() throws Exception {
        RecordReader reader = new RecordReader(allocator, MAX_RECORD_BYTES, RecordBudget.UNLIMITED);
        ByteBuffer stream = ByteBuffer.allocate(104);
        stream.putInt(LAST_FRAGMENT | 1 << 20).clear();
        read(allocator, reader, stream, 104);
        assertThat(reader.next()).isNull();
        ByteBuf target = reader.target();
        assertThat(target.capacity()).isLessThanOrEqualTo(16 << 10);
        target.release();
        reader.close();
        assertThat(target.refCnt()).isZero();
    }

    @Test
    void record_beyondTheLimit_isRefused() {
        RecordReader reader = new RecordReader(allocator, 1024, RecordBudget.UNLIMITED);
        ByteBuffer stream = ByteBuffer.allocate(4).putInt(1025).flip();
        read(allocator, reader, stream, 4);
        assertThatThrownBy(reader::next).isInstanceOf(RecordViolation.class);
        reader.close();
    }

    /**
     * No single fragment is too long. Their sum is, which is checked at the header of the fragment that exceeds the
     * limit.
     */
    @Test
    void record_ofFragmentsThatAreBeyondTheLimitTogether_isRefused() throws Exception {
        RecordReader reader = new RecordReader(allocator, 1024, RecordBudget.UNLIMITED);
        ByteBuffer first = ByteBuffer.allocate(4 + 1000).putInt(1000).clear();
        read(allocator, reader, first, 1004);
        assertThat(reader.next()).isNull();
        read(allocator, reader, ByteBuffer.allocate(4).putInt(25).flip(), 4);
        assertThatThrownBy(reader::next).isInstanceOf(RecordViolation.class);
        reader.close();
    }

    /** Counts what is taken, and refuses beyond a limit. */
    private static class Counted implements RecordBudget {
        private int limitBytes;
        private int takenBytes;

        Counted(int limitBytes) {
            this.limitBytes = limitBytes;
        }

        @Override
        public boolean take(int lengthBytes) {
            if (lengthBytes > limitBytes - takenBytes) {
                return false;
            }
            takenBytes += lengthBytes;
            return true;
        }

        @Override
        public void give(int lengthBytes) {
            takenBytes -= lengthBytes;
        }
    }

    @Test
    void budgetRefuses_record_isNotKeptUntilItGives() throws Exception {
        Counted budget = new Counted(999);
        RecordReader reader = new RecordReader(allocator, MAX_RECORD_BYTES, budget);
        ByteBuffer stream = ByteBuffer.allocate(1004);
        stream.putInt(LAST_FRAGMENT | 1000).clear();
        read(allocator, reader, stream, 500);
        assertThat(reader.next()).isNull();
        assertThat(reader.waitsForMemory()).isTrue();
        assertThat(budget.takenBytes).isZero();
        budget.limitBytes = 1000;
        assertThat(reader.next()).isNull();
        assertThat(reader.waitsForMemory()).isFalse();
        assertThat(budget.takenBytes).as("the whole of it, once").isEqualTo(1000);
        read(allocator, reader, stream, 504);
        ByteBuf record = reader.next();
        assertThat(record.readableBytes()).isEqualTo(1000);
        assertThat(budget.takenBytes).as("now the caller's to give").isEqualTo(1000);
        record.release();
        reader.close();
        assertThat(budget.takenBytes).isEqualTo(1000);
    }

    @Test
    void recordOfFragments_first_takesTheLimitAndLastGivesBackTheRest() throws Exception {
        Counted budget = new Counted(MAX_RECORD_BYTES);
        RecordReader reader = new RecordReader(allocator, MAX_RECORD_BYTES, budget);
        ByteBuffer stream = ByteBuffer.allocate(16)
                .putInt(4)
                .putInt(1)
                .putInt(LAST_FRAGMENT | 4)
                .putInt(2)
                .flip();
        read(allocator, reader, stream, 8);
        assertThat(reader.next()).isNull();
        assertThat(budget.takenBytes).isEqualTo(MAX_RECORD_BYTES);
        read(allocator, reader, stream, 8);
        ByteBuf record = reader.next();
        assertThat(budget.takenBytes).isEqualTo(8);
        record.release();
        reader.close();
    }

    @Test
    void recordHalfCome_close_givesBackWhatWasTaken() throws Exception {
        Counted budget = new Counted(MAX_RECORD_BYTES);
        RecordReader reader = new RecordReader(allocator, MAX_RECORD_BYTES, budget);
        ByteBuffer stream =
                ByteBuffer.allocate(8).putInt(LAST_FRAGMENT | 5000).putInt(1).flip();
        read(allocator, reader, stream, 8);
        assertThat(reader.next()).isNull();
        assertThat(budget.takenBytes).isEqualTo(5000);
        reader.close();
        assertThat(budget.takenBytes).isZero();
    }

    @Test
    void recordOfEmptyFragments_thousandth_isRefused() throws Exception {
        RecordReader reader = new RecordReader(allocator, MAX_RECORD_BYTES, RecordBudget.UNLIMITED);
        read(allocator, reader, ByteBuffer.allocate(4 * 1024), 4 * 1024);
        assertThat(reader.next()).isNull();
        assertThat(reader.insideRecord()).isTrue();
        read(allocator, reader, ByteBuffer.allocate(4), 4);
        assertThatThrownBy(reader::next).isInstanceOf(RecordViolation.class);
        reader.close();
    }

    /** Otherwise a small call in a large piece would keep the piece for as long as a program works on the call. */
    @Test
    void smallRecord_inALargePiece_doesNotKeepThePiece() throws Exception {
        RecordReader reader = new RecordReader(allocator, MAX_RECORD_BYTES, RecordBudget.UNLIMITED);
        ByteBuf piece = allocator.directBuffer(64 << 10, 64 << 10);
        piece.writeInt(LAST_FRAGMENT | 100).writeZero(100);
        reader.add(piece);
        ByteBuf record = reader.next();
        assertThat(record.readableBytes()).isEqualTo(100);
        assertThat(piece.refCnt()).as("nobody holds the piece").isZero();
        assertThat(record.capacity()).isLessThanOrEqualTo(400);
        record.release();
    }

    /** What a record has taken would be lost to all clients. */
    @Test
    void record_cannotBeCutOutOfItsPiece_givesBackWhatWasTaken() {
        Counted budget = new Counted(MAX_RECORD_BYTES);
        RecordReader reader = new RecordReader(allocator, MAX_RECORD_BYTES, budget);
        ByteBuf piece = new UnpooledHeapByteBuf(allocator, 104, 104) {
            @Override
            public ByteBuf readRetainedSlice(int length) {
                throw new OutOfMemoryError("a slice that cannot be made");
            }
        };
        reader.add(piece.writeInt(LAST_FRAGMENT | 100).writeZero(100));
        assertThatThrownBy(reader::next).isInstanceOf(OutOfMemoryError.class);
        assertThat(budget.takenBytes).isEqualTo(100);
        reader.close();
        assertThat(budget.takenBytes).isZero();
        assertThat(piece.refCnt()).isZero();
    }

    /** What is given back may be the turn of others, who may have a defect. */
    @Test
    void record_isWholeAndTheRestCannotBeGivenBack_isReleasedAndNothingIsGivenTwice() {
        Counted budget = new Counted(MAX_RECORD_BYTES) {
            @Override
            public void give(int lengthBytes) {
                super.give(lengthBytes);
                if (lengthBytes > 100) {
                    throw new IllegalStateException("a defect of those who wait");
                }
            }
        };
        UnpooledByteBufAllocator own = new UnpooledByteBufAllocator(true);
        RecordReader reader = new RecordReader(own, MAX_RECORD_BYTES, budget);
        ByteBuf piece = own.directBuffer(108, 108);
        reader.add(piece.writeInt(100).writeZero(100).writeInt(LAST_FRAGMENT));
        assertThatThrownBy(reader::next).isInstanceOf(IllegalStateException.class);
        reader.close();
        assertThat(budget.takenBytes).isZero();
        assertThat(own.metric().usedDirectMemory()).isZero();
    }
}
