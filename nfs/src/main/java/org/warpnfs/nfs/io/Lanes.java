package org.warpnfs.nfs.io;

import java.net.InetSocketAddress;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.jspecify.annotations.Nullable;
import org.warpnfs.lanes.CallLanes;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.lanes.Lane;
import org.warpnfs.lanes.LaneTask;
import org.warpnfs.limits.ClientAddress;

/** Access to the lanes of a call's transport. */
public final class Lanes {
    /** The longest READ whose data an event loop copies, about 10 us. */
    private static final int MAX_COPIED_BYTES = 64 << 10;

    private Lanes() {}

    /**
     * True if an event loop may copy the data of a READ. A longer one runs there only if its data are sent from where
     * the backend has them.
     *
     * @param memoryBytes the memory that the data would take
     */
    public static boolean mayCopyOnEventLoop(int memoryBytes) {
        return memoryBytes <= MAX_COPIED_BYTES;
    }

    /**
     * The lanes that the transport offers. If it offers none, the call runs to its end on its present thread, and never
     * waits.
     */
    public static CallLanes of(RpcCall call) {
        return call.getXdr() instanceof CallLanes lanes
                ? lanes
                : new OneThread(clientOf(call.getTransport().getRemoteSocketAddress()));
    }

    private static ClientAddress clientOf(InetSocketAddress address) {
        return address == null ? ClientAddress.NONE : ClientAddress.of(address);
    }

    /** The origin of a call, for the log; null where its transport does not tell. */
    public static CallOnThread.@Nullable Described describedOf(RpcCall call) {
        return call.getXdr() instanceof CallOnThread.Described described ? described : null;
    }

    private record OneThread(ClientAddress client) implements CallLanes {
        /** The last lane: no operation of the call belongs to a later one. */
        @Override
        public Lane lane() {
            return Lane.LONG;
        }

        @Override
        public boolean mayWait() {
            return false;
        }

        @Override
        public void proceed(Lane lane, LaneTask rest) {
            rest.run();
        }

        @Override
        public Runnable onConnectionEnd(Runnable task) {
            return () -> {};
        }
    }
}
