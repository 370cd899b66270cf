package org.warpnfs.nfs.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;

/** One call, and a pool of one buffer. */
class MemoryWaitTest {
    private static final int ALL_BYTES = 1 << 20;
    private static final String NOTHING = "nothing";
    private static final String MEMORY = "memory";

    private final PayloadPool pool = new PayloadPool(ALL_BYTES, ALL_BYTES);
    private final Call call = new Call();
    private final List<String> outcomes = new ArrayList<>();

    /** Runs each task at once, or refuses all of them. */
    private static final class Call implements CallLanes {
        private final List<Runnable> atTheEnd = new ArrayList<>();
        private boolean mayWait = true;
        private boolean refuses;
        private boolean connectionHasEnded;

        @Override
        public ClientAddress client() {
            return ClientAddress.NONE;
        }

        @Override
        public Lane lane() {
            return Lane.SHORT;
        }

        @Override
        public boolean mayWait() {
            return mayWait;
        }

        @Override
        public void proceed(Lane lane, LaneTask rest) {
            if (refuses) {
                rest.refused();
            } else {
                rest.run();
            }
        }

        @Override
        public Runnable onConnectionEnd(Runnable task) {
            if (connectionHasEnded) {
                task.run();
                return () -> {};
            }
            atTheEnd.add(task);
            return () -> atTheEnd.remove(task);
        }
    }

    private void take() {
        MemoryWait.take(pool, call, ALL_BYTES, payload -> {
            outcomes.add(payload == null ? NOTHING : MEMORY);
            if (payload != null) {
                payload.release();
            }
        });
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(pool.lentBytes()).isZero();
        assertThat(pool.waitingRequests()).isZero();
        assertThat(call.atTheEnd)
                .as("what the connection remembers of the call")
                .isEmpty();
    }

    @Test
    void memory_comesLater_callGoesOnAndItsConnectionForgetsIt() {
        Payload all = pool.tryAcquire(ALL_BYTES);
        take();
        assertThat(outcomes).isEmpty();
        assertThat(call.atTheEnd).hasSize(1);
        all.release();
        assertThat(outcomes).containsExactly(MEMORY);
    }

    @Test
    void memory_noneForOneThatMustNotWait_goesOnWithNothing() {
        Payload all = pool.tryAcquire(ALL_BYTES);
        call.mayWait = false;
        take();
        assertThat(outcomes).containsExactly(NOTHING);
        all.release();
    }

    @Test
    void connection_endsWhileTheCallWaits_goesOnWithNothing() {
        Payload all = pool.tryAcquire(ALL_BYTES);
        take();
        List.copyOf(call.atTheEnd).forEach(Runnable::run);
        assertThat(outcomes).containsExactly(NOTHING);
        all.release();
    }

    @Test
    void connection_hasEndedBefore_callDoesNotWait() {
        Payload all = pool.tryAcquire(ALL_BYTES);
        call.connectionHasEnded = true;
        take();
        assertThat(outcomes).containsExactly(NOTHING);
        all.release();
    }

    @Test
    void lanes_takeNothingAnyMore_memoryIsGivenBack() {
        Payload all = pool.tryAcquire(ALL_BYTES);
        take();
        call.refuses = true;
        all.release();
        assertThat(outcomes).containsExactly(NOTHING);
    }
}
