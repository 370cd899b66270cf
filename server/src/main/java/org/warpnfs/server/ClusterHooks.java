package org.warpnfs.server;

/** What the programs do for the cluster. Safe for any thread. */
interface ClusterHooks {
    ClusterHooks NONE = new ClusterHooks() {
        @Override
        public boolean isRecovering() {
            return true;
        }

        @Override
        public void awaitPermitted() {
            // No client is served yet.
        }

        @Override
        public boolean isTaking() {
            return false;
        }

        @Override
        public void withdrawPermits() {
            // Nobody has any.
        }

        @Override
        public void lifted() {
            // Nobody waits yet.
        }

        @Override
        public boolean hasClients() {
            return false;
        }
    };

    /**
     * True while clients of this node may reclaim by other protocols than NFSv4, or a reclaim is under way. Asked once
     * those of NFSv4 have reclaimed; once it is false it stays so.
     */
    boolean isRecovering();

    /** Returns when every call that was permitted new state before has got it. */
    void awaitPermitted();

    /** True while a lock is being taken at a backend, or a file is being created by an OPEN. */
    boolean isTaking();

    /** Calls that are still creating files get no new state. */
    void withdrawPermits();

    /** New state is granted again. */
    void lifted();

    /** True if there are clients of other protocols than NFSv4 that may have state. */
    boolean hasClients();
}
