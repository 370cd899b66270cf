package org.warpnfs.iwarp.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.iwarp.verbs.AccessRight;

/** STags: their uniqueness, how long they are valid, and that nobody can guess them (RFC 5040, section 8.1.1). */
class RegionTableTest {
    private static final Set<AccessRight> WRITE = EnumSet.of(AccessRight.REMOTE_WRITE);

    private final StagRegistry registry = new StagRegistry();

    private RegionTable table(StagSource stags, int maxRegions) {
        Budget total = new Budget("registered bytes", Long.MAX_VALUE);
        return new RegionTable(registry, stags, maxRegions, new Quota(total, Long.MAX_VALUE, 0), () -> true);
    }

    @Test
    void register_aMillionTimes_stagsAreSpreadOverTheWholeRange() {
        StagSource stags = new StagSource(new SecureRandom());
        int[] byHighByte = new int[256];
        int[] byLowByte = new int[256];
        int[] ones = new int[32];
        int count = 1 << 20;
        long last = 0;
        int steps = 0;
        for (int i = 0; i < count; i++) {
            long stag = stags.next();
            assertThat(stag).isBetween(1L, 0xffff_ffffL);
            byHighByte[(int) (stag >>> 24)]++;
            byLowByte[(int) (stag & 0xff)]++;
            for (int bit = 0; bit < 32; bit++) {
                ones[bit] += (int) (stag >>> bit & 1);
            }
            steps += Math.abs(stag - last) < 0x10000 ? 1 : 0;
            last = stag;
        }
        // Each of 256 values is expected 4096 times. Fifteen standard deviations are 960.
        for (int i = 0; i < 256; i++) {
            assertThat(byHighByte[i]).isBetween(3136, 5056);
            assertThat(byLowByte[i]).isBetween(3136, 5056);
        }
        for (int bit = 0; bit < 32; bit++) {
            assertThat(ones[bit]).isBetween(count / 2 - 15 * 512, count / 2 + 15 * 512);
        }
        // STags that are drawn one after the other are not neighbouring numbers: 32 such pairs are expected by chance.
        assertThat(steps).isLessThan(32 + 15 * 6);
    }

    @Test
    void invalidate_stagIsNotGivenOutAgainSoon() {
        // The source yields 16 bits only. Without a quarantine, old STags would soon be drawn again.
        RegionTable table = table(new StagSource(new SmallNumbers()), 100);
        Set<Long> lately = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            Region region = table.register(ByteBuffer.allocate(1), WRITE);
            assertThat(lately.add(region.stag())).isTrue();
            region.invalidate();
            assertThat(table.find(region.stag())).isNull();
        }
    }

    /** Draws from 2048 numbers. */
    private static final class SmallNumbers extends Random {
        private static final long serialVersionUID = 1L;

        SmallNumbers() {
            super(1);
        }

        @Override
        public void nextBytes(byte[] bytes) {
            super.nextBytes(bytes);
            for (int i = 0; i < bytes.length; i += 4) {
                bytes[i] = 0;
                bytes[i + 1] = 0;
                bytes[i + 2] &= 7;
            }
        }
    }

    @Test
    void register_againAfterInvalidation_isAnotherStagForTheSameMemory() {
        RegionTable table = table(new StagSource(new Random(1)), 2);
        ByteBuffer memory = ByteBuffer.allocate(8);
        Region first = table.register(memory, WRITE);
        assertThat(table.find(first.stag())).isSameAs(first);
        first.invalidate();
        Region second = table.register(memory, EnumSet.of(AccessRight.REMOTE_READ));
        assertThat(second.stag()).isNotEqualTo(first.stag());
        assertThat(table.find(first.stag())).isNull();
        assertThat(table.holds(first)).isFalse();
        assertThat(second.allowsRemoteWrite()).isFalse();
        assertThat(second.allowsRemoteRead()).isTrue();
    }

    @Test
    void register_sliceOfABuffer_isItsBoundsExactly() {
        ByteBuffer memory = ByteBuffer.allocate(100).position(10).limit(30);
        Region region = table(new StagSource(new Random(1)), 1).register(memory, WRITE);
        assertThat(region.lengthBytes()).isEqualTo(20);
        assertThat(region.locate(region.taggedOffset(), 20)).isZero();
        assertThat(region.locate(region.taggedOffset(), 21)).isNegative();
        assertThat(region.locate(region.taggedOffset() - 1, 1)).isNegative();
        assertThat(memory.position()).isEqualTo(10);
    }

    @Test
    void register_readOnlyMemoryForWriting_isRefused() {
        RegionTable table = table(new StagSource(new Random(1)), 10);
        ByteBuffer readOnly = ByteBuffer.allocate(8).asReadOnlyBuffer();
        for (AccessRight right : AccessRight.values()) {
            if (right == AccessRight.REMOTE_READ) {
                assertThat(table.register(readOnly, EnumSet.of(right)).valid()).isTrue();
            } else {
                assertThatThrownBy(() -> table.register(readOnly, EnumSet.of(right)))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void twoTables_stagOfOne_meansNothingToTheOther() {
        RegionTable ours = table(new StagSource(new Random(1)), 1);
        RegionTable theirs = table(new StagSource(new Random(2)), 1);
        Region region = ours.register(ByteBuffer.allocate(1), WRITE);
        assertThat(theirs.find(region.stag())).isNull();
        assertThat(theirs.isOfOthers(region.stag())).isTrue();
        assertThat(ours.isOfOthers(region.stag())).isFalse();
        assertThat(theirs.holds(region)).isFalse();
    }
}
