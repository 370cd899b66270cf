package org.warpnfs.rpcrdma.tcp;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One connection's part of the {@link RecordMemory}. It has a limit of its own. Above that limit the connection waits
 * for its own calls to end.
 *
 * <p>For the connection's event loop, except {@link #give}.
 */
final class ConnectionMemory implements RecordBudget {
    private final RecordMemory memory;
    private final RecordMemory.Share share;
    private final long maxBytes;
    private final Executor loop;
    private final Runnable resume;
    private final AtomicLong heldBytes = new AtomicLong();
    private RecordMemory.@Nullable Request waiting;
    private int grantedBytes;
    private boolean closed;

    /**
     * @param loop runs tasks on the connection's event loop
     * @param resume runs there when a length that was refused may be asked for again
     */
    ConnectionMemory(RecordMemory memory, RecordMemory.Share share, long maxBytes, Executor loop, Runnable resume) {
        this.memory = memory;
        this.share = share;
        this.maxBytes = maxBytes;
        this.loop = loop;
        this.resume = resume;
    }

    @Override
    public boolean take(int lengthBytes) {
        if (waiting != null || closed) {
            return false;
        }
        if (grantedBytes > 0) {
            grantedBytes = 0;
            return true;
        }
        long held = heldBytes.get();
        if (held > 0 && lengthBytes > maxBytes - held) {
            return false;
        }
        waiting = memory.take(share, lengthBytes, () -> granted(lengthBytes));
        if (waiting != null) {
            return false;
        }
        heldBytes.addAndGet(lengthBytes);
        return true;
    }

    /** Memory was granted. Called on the thread that gave it back. */
    private void granted(int lengthBytes) {
        heldBytes.addAndGet(lengthBytes);
        try {
            loop.execute(() -> {
                waiting = null;
                if (closed) {
                    give(lengthBytes);
                } else {
                    grantedBytes = lengthBytes;
                    resume.run();
                }
            });
        } catch (RejectedExecutionException e) {
            give(lengthBytes);
        }
    }

    @Override
    public void give(int lengthBytes) {
        heldBytes.addAndGet(-lengthBytes);
        memory.give(share, lengthBytes);
    }

    /** Takes no more memory. Calls still give back what they hold. */
    void close() {
        closed = true;
        if (grantedBytes > 0) {
            give(grantedBytes);
            grantedBytes = 0;
        }
        RecordMemory.Request request = waiting;
        if (request != null && memory.cancel(request)) {
            waiting = null;
        }
    }
}
