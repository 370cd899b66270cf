package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.lanes.Lane;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.testkit.Seeds;

/** The lanes in which COMPOUNDs start, for those that Linux clients send. */
class CompoundLanesTest {
    private static final byte[] HANDLE = new byte[29];
    private static final CreateHow CREATING = CreateHow.unchecked(Fattr.none());

    private static Ops compound() {
        return new Ops().add(OpCode.SEQUENCE, c -> c.hyper(1).hyper(2).words(1, 0, 0, 0));
    }

    private static Ops onFile() {
        return compound().putFh(HANDLE);
    }

    private static byte[] bytes(Ops ops) {
        CallWriter call = new CallWriter().string("tag").words(2, ops.count);
        ops.writers.forEach(operation -> operation.accept(call));
        return call.toBytes();
    }

    private static Lane lane(Ops ops) {
        return CompoundLanes.ofCompound(ByteBuffer.wrap(bytes(ops)), Lane.SHORT);
    }

    private static Lane laneWithEventLoop(Ops ops) {
        return CompoundLanes.ofCompound(ByteBuffer.wrap(bytes(ops)), Lane.EVENT_LOOP);
    }

    private static Ops write(int stable) {
        return onFile().write(Ops.ANONYMOUS, 0, stable, new byte[100]);
    }

    private static Ops open(CreateHow how) {
        return onFile().open("o".repeat(1024), "name", 1, 0, how);
    }

    @Test
    void compounds_ofLinux_startWhereTheyBelong() {
        assertThat(lane(compound())).isEqualTo(Lane.SHORT);
        assertThat(lane(onFile().op(OpCode.ACCESS, 31).getAttr(1, 2))).isEqualTo(Lane.SHORT);
        assertThat(lane(onFile().lookup("name").getFh().getAttr(1))).isEqualTo(Lane.SHORT);
        assertThat(lane(onFile().read(Ops.ANONYMOUS, 0, 4096))).isEqualTo(Lane.DATA);
        assertThat(lane(onFile().readPlus(Ops.ANONYMOUS))).isEqualTo(Lane.DATA);
        assertThat(lane(onFile().op(OpCode.READDIR))).isEqualTo(Lane.DATA);
        assertThat(lane(write(0))).isEqualTo(Lane.DATA);
        assertThat(lane(write(1))).isEqualTo(Lane.LONG);
        assertThat(lane(write(2))).isEqualTo(Lane.LONG);
        assertThat(lane(open(CreateHow.nothing()))).isEqualTo(Lane.SHORT);
        assertThat(lane(open(CREATING))).isEqualTo(Lane.LONG);
        assertThat(lane(onFile().saveFh().getAttr(1).op(OpCode.COMMIT)))
                .as("behind SAVEFH and GETATTR")
                .isEqualTo(Lane.LONG);
    }

    @Test
    void compound_thatNeedNotWait_startsOnTheEventLoop() {
        assertThat(laneWithEventLoop(onFile().getAttr(1, 2))).isEqualTo(Lane.EVENT_LOOP);
        assertThat(laneWithEventLoop(onFile().read(Ops.ANONYMOUS, 0, 65_536).getAttr(1)))
                .isEqualTo(Lane.EVENT_LOOP);
        assertThat(laneWithEventLoop(onFile().read(Ops.ANONYMOUS, 0, 1 << 20)))
                .as("its data may need no copy")
                .isEqualTo(Lane.EVENT_LOOP);
        assertThat(laneWithEventLoop(onFile().op(OpCode.ACCESS, 31).getAttr(1))).isEqualTo(Lane.SHORT);
        assertThat(laneWithEventLoop(onFile().getAttr(1).op(OpCode.COMMIT))).isEqualTo(Lane.LONG);
        assertThat(laneWithEventLoop(write(0))).isEqualTo(Lane.DATA);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "CLOSE",
                "COMMIT",
                "CREATE",
                "LINK",
                "REMOVE",
                "RENAME",
                "SETATTR",
                "ALLOCATE",
                "COPY",
                "DEALLOCATE",
                "CLONE",
                "SETXATTR",
                "REMOVEXATTR"
            })
    void compound_changingAFile_startsWhereItMayTakeLong(OpCode code) {
        assertThat(lane(new Ops().putFh(HANDLE).op(code))).isEqualTo(Lane.LONG);
    }

    @Test
    void operation_thatMayStay_maySoWhateverFollows() {
        Seeds.each(300, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] arguments = new byte[random.nextInt(100)];
            random.nextBytes(arguments);
            for (OpCode code : OpCode.values()) {
                for (Lane lane : List.of(Lane.EVENT_LOOP, Lane.SHORT)) {
                    if (CompoundLanes.mayStay(code, lane)) {
                        assertThat(CompoundLanes.of(code, ByteBuffer.wrap(arguments), lane))
                                .isEqualTo(lane);
                    }
                }
            }
        });
    }

    @Test
    void call_cutOrWrongAnywhere_hasALane() {
        Seeds.each(2_000, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] call = bytes(random.nextBoolean() ? open(CREATING) : write(2));
            for (int i = random.nextInt(4); i > 0; i--) {
                call[random.nextInt(call.length)] = (byte) random.nextInt();
            }
            byte[] cut = Arrays.copyOf(call, random.nextInt(call.length + 1));
            assertThat(CompoundLanes.ofCompound(ByteBuffer.wrap(cut), Lane.EVENT_LOOP))
                    .isNotNull();
        });
        assertThat(CompoundLanes.ofCompound(ByteBuffer.allocate(0), Lane.EVENT_LOOP))
                .isEqualTo(Lane.SHORT);
    }
}
