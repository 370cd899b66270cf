package org.warpnfs.nfs.v4.state.recovery;

/**
 * What other servers of the same files permit. Asked often, and under the lock of the state: it answers from memory.
 * Safe for any thread.
 */
public interface SharedGrace {
    /** There are no other servers. */
    SharedGrace NONE = new SharedGrace() {
        @Override
        public boolean isEnforced(long nowNanos) {
            return false;
        }

        @Override
        public boolean mayReclaim(long nowNanos) {
            return true;
        }
    };

    /** True while nobody may get new state, since clients of another server may reclaim. */
    boolean isEnforced(long nowNanos);

    /** True if this server's clients may reclaim in its grace period: no other server grants new state. */
    boolean mayReclaim(long nowNanos);
}
