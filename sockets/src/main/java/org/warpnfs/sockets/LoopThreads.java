package org.warpnfs.sockets;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import org.warpnfs.lanes.RunsCalls;

/** Makes the threads of event loops. Calls that need not wait run on them. */
public final class LoopThreads extends DefaultThreadFactory {
    /**
     * @param name what the names of the threads begin with
     * @param daemon whether the process may end while they run
     */
    public LoopThreads(String name, boolean daemon) {
        super(name, daemon);
    }

    @Override
    protected Thread newThread(Runnable task, String name) {
        return new LoopThread(task, name);
    }

    private static final class LoopThread extends FastThreadLocalThread implements RunsCalls {
        private final Current current = new Current();

        LoopThread(Runnable task, String name) {
            super(task, name);
        }

        @Override
        public Current current() {
            return current;
        }
    }
}
