package org.warpnfs.rpcrdma.tcp;

/** Where a {@link RecordReader} takes memory from before it collects a record. */
interface RecordBudget {
    /** For a peer of our own choice, whose records are bounded one by one. */
    RecordBudget UNLIMITED = new RecordBudget() {
        @Override
        public boolean take(int lengthBytes) {
            return true;
        }

        @Override
        public void give(int lengthBytes) {
            // Nothing was counted.
        }
    };

    /**
     * Takes memory for one record.
     *
     * @return false if it is not to be had now; the reader then waits, and asks for the same length again when it is
     *     called next
     */
    boolean take(int lengthBytes);

    /** Gives back what a record does not need, or the whole of it. */
    void give(int lengthBytes);
}
