package org.warpnfs.server;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.nfs.fence.FenceStore;
import org.warpnfs.nfs.fence.FenceView;
import org.warpnfs.nfs.fence.Fencing;
import org.warpnfs.nfs.fence.PublishedFences;

/**
 * What a gateway of a cluster has for fences of layouts: as a data server a view of them, as a metadata server its own.
 * Without a cluster there are none.
 */
final class LayoutFencing implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LayoutFencing.class);
    private static final int PATIENCE_SECONDS = 2;

    private final FenceView view;
    private final @Nullable PublishedFences published;
    private final @Nullable ExecutorService writer;

    private LayoutFencing(FenceView view, @Nullable PublishedFences published, @Nullable ExecutorService writer) {
        this.view = view;
        this.published = published;
        this.writer = writer;
    }

    /** @param grants true if clients get layouts here */
    static LayoutFencing open(@Nullable ClusterSeat seat, boolean grants) throws IOException {
        if (seat == null) {
            return new LayoutFencing(FenceView.NONE, null, null);
        }
        FenceStore store = seat.fences();
        if (!grants) {
            return new LayoutFencing(FenceView.reading(store), null, null);
        }
        ExecutorService writer = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("fence-writer").factory());
        PublishedFences published = PublishedFences.open(
                store, seat.node(), seat.instance(), new SecureRandom()::nextLong, writer, System::nanoTime);
        return new LayoutFencing(FenceView.reading(store), published, writer);
    }

    FenceView view() {
        return view;
    }

    Fencing fencing() {
        return published == null ? Fencing.OFF : published;
    }

    /** Ends all layouts of this server. Waits for two seconds at most. */
    @Override
    public void close() {
        view.close();
        if (published == null || writer == null) {
            return;
        }
        published.endAll();
        writer.shutdown();
        try {
            if (!writer.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS) || published.isBehind()) {
                LOG.warn("Data servers may take layouts of this server until it starts again");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
