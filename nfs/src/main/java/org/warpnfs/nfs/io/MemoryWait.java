package org.warpnfs.nfs.io;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.payload.Payload;
import org.warpnfs.payload.PayloadPool;

/**
 * A call that waits for memory to read into, in the pool's fair queue and on no thread.
 *
 * <h2>Operation</h2>
 *
 * The call goes on in lane {@link Lane#DATA} when it is given its memory, or when its connection has ended. There is no
 * deadline: whoever holds memory has one of its own, set by the transport that sends its reply or pulls its data, and
 * the turns of the clients do the rest. So nobody is told to come later because of memory; a Linux client would sleep
 * for five seconds then.
 *
 * <p>A call that holds payload memory does not wait here ({@link CallLanes#mayWait}): two of them could wait for each
 * other.
 *
 * <h2>Buffers</h2>
 *
 * Whoever goes on with the call owns the payload.
 *
 * <h2>Errors</h2>
 *
 * A call whose connection has ended goes on without a payload, and so does one that no thread takes any more: what it
 * held is given back, and it ends as one that is to come later. Safe for any thread.
 */
public final class MemoryWait {
    private final CallLanes lanes;
    private final Consumer<@Nullable Payload> rest;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile PayloadPool.@Nullable Wait wait;
    private volatile boolean connectionEnded;
    private volatile @Nullable Runnable forget;

    private MemoryWait(CallLanes lanes, Consumer<@Nullable Payload> rest) {
        this.lanes = lanes;
        this.rest = rest;
    }

    /**
     * Goes on with memory: at once if there is some, else later. The caller touches nothing of the call afterwards.
     *
     * @param lengthBytes at most what the pool lends at once
     * @param rest of the call; hears null if no memory is to be had and the call must not wait for it
     */
    public static void take(PayloadPool pool, CallLanes lanes, int lengthBytes, Consumer<@Nullable Payload> rest) {
        Payload now = pool.tryAcquire(lanes.client(), lengthBytes);
        if (now != null || !lanes.mayWait()) {
            rest.accept(now);
        } else {
            // Nothing is there of a reply, and nothing has to be set aside for one meanwhile.
            var _ = lanes.holds(0);
            begin(pool, lanes, lengthBytes, rest);
        }
    }

    /** Waits, and goes on as {@link #take} does. */
    public static void begin(PayloadPool pool, CallLanes lanes, int lengthBytes, Consumer<@Nullable Payload> rest) {
        MemoryWait call = new MemoryWait(lanes, rest);
        call.forget = lanes.onConnectionEnd(call::connectionEnded);
        PayloadPool.Wait wait = pool.acquire(lanes.client(), lengthBytes, call::goOn);
        // The call may be over by now. This object alone may still be touched.
        call.wait = wait;
        if (call.connectionEnded) {
            call.giveUp(wait);
        }
    }

    private void connectionEnded() {
        connectionEnded = true;
        PayloadPool.Wait waiting = wait;
        if (waiting != null) {
            giveUp(waiting);
        }
    }

    private void giveUp(PayloadPool.Wait waiting) {
        if (waiting.cancel()) {
            goOn(null);
        }
    }

    private void goOn(@Nullable Payload payload) {
        if (!over.compareAndSet(false, true)) {
            return;
        }
        Runnable ended = forget;
        if (ended != null) {
            ended.run();
        }
        lanes.proceed(Lane.DATA, new LaneTask() {
            @Override
            public void run() {
                rest.accept(payload);
            }

            @Override
            public void refused() {
                if (payload != null) {
                    payload.release();
                }
                rest.accept(null);
            }
        });
    }
}
