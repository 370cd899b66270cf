package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.lanes.Lane;
import org.warpnfs.nfs.testing.CallWriter;

/** The lane of each procedure. */
class Nfs3LanesTest {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final Set<Integer> SHORT = Set.of(0, 1, 3, 4, 5, 18, 19, 20);
    private static final Set<Integer> DATA = Set.of(6, 7, 16, 17);

    @Test
    void procedures_all_haveTheirLanes() {
        for (int procedure = 0; procedure <= 21; procedure++) {
            Lane expected = SHORT.contains(procedure) ? Lane.SHORT : DATA.contains(procedure) ? Lane.DATA : Lane.LONG;
            assertThat(Nfs3Lanes.of(procedure, NOTHING, Lane.SHORT))
                    .as("procedure %d", procedure)
                    .isEqualTo(expected);
        }
        for (int unknown : new int[] {-1, 22, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertThat(Nfs3Lanes.of(unknown, NOTHING, Lane.EVENT_LOOP)).isEqualTo(Lane.SHORT);
        }
    }

    private static byte[] write(int handleBytes, int stable) {
        return new CallWriter()
                .opaque(new byte[handleBytes])
                .hyper(4096)
                .words(5, stable)
                .string("hello")
                .toBytes();
    }

    @Test
    void write_unstable_isDataAndAnyOtherIsLong() {
        for (int handleBytes : new int[] {0, 1, 28, 29, 64}) {
            assertThat(Nfs3Lanes.of(7, ByteBuffer.wrap(write(handleBytes, 0)), Lane.EVENT_LOOP))
                    .isEqualTo(Lane.DATA);
            assertThat(Nfs3Lanes.of(7, ByteBuffer.wrap(write(handleBytes, 1)), Lane.EVENT_LOOP))
                    .isEqualTo(Lane.LONG);
            assertThat(Nfs3Lanes.of(7, ByteBuffer.wrap(write(handleBytes, 2)), Lane.EVENT_LOOP))
                    .isEqualTo(Lane.LONG);
        }
    }

    @Test
    void write_cutAnywhere_hasALane() {
        byte[] call = write(29, 2);
        for (int length = 0; length < call.length; length++) {
            assertThat(Nfs3Lanes.of(7, ByteBuffer.wrap(Arrays.copyOf(call, length)), Lane.EVENT_LOOP))
                    .isEqualTo(length < 52 ? Lane.DATA : Lane.LONG);
        }
        call[0] = -1;
        assertThat(Nfs3Lanes.of(7, ByteBuffer.wrap(call), Lane.EVENT_LOOP)).isEqualTo(Lane.DATA);
    }

    private static Lane read(int handleBytes, int count, Lane earliest) {
        byte[] call = new CallWriter()
                .opaque(new byte[handleBytes])
                .hyper(4096)
                .words(count)
                .toBytes();
        return Nfs3Lanes.of(6, ByteBuffer.wrap(call), earliest);
    }

    @Test
    void call_thatNeedNotWait_startsOnTheEventLoop() {
        assertThat(Nfs3Lanes.of(0, NOTHING, Lane.EVENT_LOOP)).isEqualTo(Lane.EVENT_LOOP);
        assertThat(Nfs3Lanes.of(1, NOTHING, Lane.EVENT_LOOP)).isEqualTo(Lane.EVENT_LOOP);
        for (int handleBytes : new int[] {0, 1, 28, 29, 64}) {
            assertThat(read(handleBytes, 65_536, Lane.EVENT_LOOP)).isEqualTo(Lane.EVENT_LOOP);
            assertThat(read(handleBytes, 65_536, Lane.SHORT)).isEqualTo(Lane.DATA);
            assertThat(read(handleBytes, 1 << 20, Lane.EVENT_LOOP))
                    .as("its data may need no copy")
                    .isEqualTo(Lane.EVENT_LOOP);
        }
    }
}
