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
 * A call that waits for memory to read into. It waits in the pool's fair queue and holds no thread.
 *
 * <h2>Operation</h2>
 *
 * The call goes on in lane {@link Lane#DATA} when it gets its memory, or when its connection has ended. There is no
 * deadline. A call that holds memory has one, set by the transport that sends its reply or pulls its data, and clients
 * take turns for the memory that comes back. So no client is told to come again later because of memory; a Linux client
 * would sleep for five seconds then.
 *
 * <p>A call that holds payload memory does not wait here ({@link CallLanes#mayWait}): two of them could wait for each
 * other.
 *
 * <h2>Buffers</h2>
 *
 * The payload belongs to the code that goes on with the call.
 *
 * <h2>Errors</h2>
 *
 * If the connection has ended, or no thread takes the call any more, the call goes on without a payload. What it held
 * is given back, and it ends with an error that means "try later". Safe for any thread.
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
     * Goes on with memory: at once if there is some, else later. The calling code must not touch the call afterwards.
     *
     * @param lengthBytes at most what the pool lends at once
     * @param rest the rest of the call; gets null if there is no memory and the call must not wait for it
     */
    public static void take(PayloadPool pool, CallLanes lanes, int lengthBytes, Consumer<@Nullable Payload> rest) {
        Payload now = pool.tryAcquire(lanes.client(), lengthBytes);
        if (now != null || !lanes.mayWait()) {
            rest.accept(now);
        } else {
            // No part of the reply exists yet, so the call holds no bytes of a reply while it waits.
            var _ = lanes.holds(0);
            begin(pool, lanes, lengthBytes, rest);
        }
    }

    /** Waits, and goes on as {@link #take} does. */
    public static void begin(PayloadPool pool, CallLanes lanes, int lengthBytes, Consumer<@Nullable Payload> rest) {
        MemoryWait call = new MemoryWait(lanes, rest);
        call.forget = lanes.onConnectionEnd(call::connectionEnded);
        PayloadPool.Wait wait = pool.acquire(lanes.client(), lengthBytes, call::goOn);
        // The call may have ended by now. Only this object may still be used.
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
