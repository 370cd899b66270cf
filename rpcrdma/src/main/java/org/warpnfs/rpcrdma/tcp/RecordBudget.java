package org.warpnfs.rpcrdma.tcp;

/** The budget of a {@link RecordReader}, which takes memory from it before it collects a record. */
interface RecordBudget {
    /** A budget without a limit, for a peer that we chose and whose records have a limit each. */
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
     * @return false if it is not available now; the reader then waits, and asks for the same length again when it is
     *     called next
     */
    boolean take(int lengthBytes);

    /** Gives back what a record does not need, or all of it. */
    void give(int lengthBytes);
}
