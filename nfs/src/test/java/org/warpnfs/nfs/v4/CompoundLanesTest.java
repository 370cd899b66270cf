package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.warpnfs.lanes.Lane;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.testkit.Seeds;

/** Where COMPOUNDs start, by those that Linux clients send. */
class CompoundLanesTest {
    private static final byte[] HANDLE = new byte[29];

    private static CallWriter compound(int operations) {
        CallWriter call = new CallWriter().string("tag").words(2, operations);
        return call.words(53).hyper(1).hyper(2).words(1, 0, 0, 0);
    }

    private static CallWriter onFile(int operations) {
        return compound(operations).words(22).opaque(HANDLE);
    }

    private static Lane lane(CallWriter call) {
        return CompoundLanes.ofCompound(ByteBuffer.wrap(call.toBytes()));
    }

    private static CallWriter write(int stable) {
        return onFile(3).words(38).hyper(0).hyper(0).hyper(0).words(stable).opaque(new byte[100]);
    }

    private static CallWriter open(int openType) {
        return onFile(3)
                .words(18, 0, 1, 0)
                .hyper(7)
                .opaque(new byte[1024])
                .words(openType)
                .words(0, 0, 0)
                .string("name");
    }

    @Test
    void compounds_ofLinux_startWhereTheyBelong() {
        assertThat(lane(compound(1))).isEqualTo(Lane.SHORT);
        assertThat(lane(onFile(4).words(3, 31).words(9, 2, 1, 2))).isEqualTo(Lane.SHORT);
        assertThat(lane(onFile(4).words(15).string("name").words(10, 9, 1, 1))).isEqualTo(Lane.SHORT);
        assertThat(lane(onFile(3).words(25).hyper(0).hyper(0).hyper(0).words(4096)))
                .isEqualTo(Lane.DATA);
        assertThat(lane(onFile(3).words(68).hyper(0).hyper(0).hyper(0).words(4096)))
                .isEqualTo(Lane.DATA);
        assertThat(lane(onFile(3).words(26))).isEqualTo(Lane.DATA);
        assertThat(lane(write(0))).isEqualTo(Lane.DATA);
        assertThat(lane(write(1))).isEqualTo(Lane.LONG);
        assertThat(lane(write(2))).isEqualTo(Lane.LONG);
        assertThat(lane(open(0))).isEqualTo(Lane.SHORT);
        assertThat(lane(open(1))).isEqualTo(Lane.LONG);
        assertThat(lane(onFile(5).words(32, 9, 1, 1, 5)))
                .as("behind SAVEFH and GETATTR")
                .isEqualTo(Lane.LONG);
        for (int code : new int[] {4, 5, 6, 11, 28, 29, 34, 59, 60, 62, 71, 73, 75}) {
            CallWriter call = new CallWriter()
                    .string("")
                    .words(2, 2)
                    .words(22)
                    .opaque(HANDLE)
                    .words(code);
            assertThat(lane(call)).as("operation %d", code).isEqualTo(Lane.LONG);
        }
    }

    @Test
    void operation_alwaysShort_isSoWhateverFollows() {
        Seeds.each(300, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] arguments = new byte[random.nextInt(100)];
            random.nextBytes(arguments);
            for (OpCode code : OpCode.values()) {
                if (CompoundLanes.isShort(code)) {
                    assertThat(CompoundLanes.of(code, ByteBuffer.wrap(arguments)))
                            .isEqualTo(Lane.SHORT);
                }
            }
        });
    }

    @Test
    void call_cutOrWrongAnywhere_hasALane() {
        Seeds.each(2_000, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] call = (random.nextBoolean() ? open(1) : write(2)).toBytes();
            for (int i = random.nextInt(4); i > 0; i--) {
                call[random.nextInt(call.length)] = (byte) random.nextInt();
            }
            byte[] cut = Arrays.copyOf(call, random.nextInt(call.length + 1));
            assertThat(CompoundLanes.ofCompound(ByteBuffer.wrap(cut))).isNotNull();
        });
        assertThat(CompoundLanes.ofCompound(ByteBuffer.allocate(0))).isEqualTo(Lane.SHORT);
    }
}
