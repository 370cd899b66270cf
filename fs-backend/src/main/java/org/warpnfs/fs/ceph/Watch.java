package org.warpnfs.fs.ceph;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.ceph.libcephfs.CephException;
import org.warpnfs.fs.ceph.libcephfs.XattrCalls;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.schedule.Repeated;

/**
 * Looks at the calls of the mount in use from time to time, and asks the metadata server for what the library does not
 * know. So it is noticed that a server does not answer, and that the cluster has ended the mount, even if no client
 * calls.
 */
final class Watch {
    private static final Logger LOG = LoggerFactory.getLogger(Watch.class);

    private final Supplier<@Nullable Mounted> current;
    private final Consumer<Mounted> lost;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("ceph-watch").factory());

    /**
     * @param current returns the mount in use, null if there is none
     * @param lost is told that the cluster has ended a mount
     */
    Watch(Supplier<@Nullable Mounted> current, Consumer<Mounted> lost) {
        this.current = current;
        this.lost = lost;
    }

    void begin(Duration between) {
        var _ = Repeated.afterPauses(thread, between, this::look);
    }

    void end() {
        thread.shutdownNow();
    }

    private void look() {
        Mounted mounted = current.get();
        if (mounted == null) {
            return;
        }
        mounted.waits().look(System.nanoTime());
        if (mounted.startAsking()) {
            startToAsk(mounted);
        }
    }

    private void startToAsk(Mounted mounted) {
        boolean started = false;
        try {
            Thread.ofPlatform().daemon().name("ceph-ask").start(() -> ask(mounted));
            started = true;
        } finally {
            if (!started) {
                mounted.endAsking();
            }
        }
    }

    private void ask(Mounted mounted) {
        CallWaits.Call call = mounted.waits().beginProbe(System.nanoTime());
        try {
            mounted.enter();
            try {
                XattrCalls.refresh(mounted.mount(), mounted.root());
            } finally {
                mounted.leave();
            }
        } catch (CephException e) {
            if (Failure.isLostMount(e) || Failure.isRefusedSession(e)) {
                lost.accept(mounted);
            }
        } catch (FsException e) {
            LOG.debug("the mount is over", e);
        } finally {
            mounted.waits().end(call);
            mounted.endAsking();
        }
    }
}
