package org.warpnfs.payload;

import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's request for a payload. Guarded by the pool until it is granted. Then the thread that granted it runs it.
 */
final class PoolRequest implements Runnable {
    final PoolClient client;
    final int lengthBytes;
    final Slabs.SizeClass sizeClass;
    private final Consumer<Payload> granted;

    /** The payload that was granted; null before. */
    @Nullable
    Payload payload;

    PoolRequest(PoolClient client, int lengthBytes, Slabs.SizeClass sizeClass, Consumer<Payload> granted) {
        this.client = client;
        this.lengthBytes = lengthBytes;
        this.sizeClass = sizeClass;
        this.granted = granted;
    }

    /** Passes the payload to the requester. */
    @Override
    public void run() {
        granted.accept(Objects.requireNonNull(payload));
    }
}
