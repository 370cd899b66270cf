package org.warpnfs.nfs.v4.state.file;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.fence.FenceStamp;
import org.warpnfs.nfs.fence.Fencing;

/**
 * Files whose layouts data servers are being told to refuse. Until they do, nothing else happens to such a file: a
 * client that has lost its layout may still write it. Guarded by the lock of the state.
 */
final class LayoutFences {
    private final Map<FileKey, Fencing.Fence> begun = new HashMap<>();
    private Fencing fencing = Fencing.OFF;

    void set(Fencing chosen) {
        fencing = chosen;
    }

    @Nullable
    FenceStamp stamp(LayoutState layout) {
        return fencing.stamp(layout.fenceKey());
    }

    /** Begins to end all layouts of the file of this one. */
    void begin(LayoutState layout) {
        Fencing.Fence fence = fencing.begin(layout.fenceKey());
        if (fence != null) {
            begun.put(layout.key(), fence);
        }
    }

    /** True until every data server refuses the layouts that the file had. */
    boolean isUnderWay(long nowNanos, FileKey file) {
        Fencing.Fence fence = begun.get(file);
        if (fence == null) {
            return false;
        }
        if (fence.isDone(nowNanos)) {
            begun.remove(file);
            return false;
        }
        return true;
    }

    boolean isIdle() {
        return begun.isEmpty();
    }

    void sweep(long nowNanos) {
        begun.values().removeIf(fence -> fence.isDone(nowNanos));
    }
}
