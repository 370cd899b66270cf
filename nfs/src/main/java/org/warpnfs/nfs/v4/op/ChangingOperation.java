package org.warpnfs.nfs.v4.op;

/** An operation that changes files or state, with a result that is short. */
interface ChangingOperation extends Operation {
    /** Two change_info4, a stateid, and a bitmap of attributes set fit in here. */
    int RESULT_BYTES = 128;

    @Override
    default boolean isChanging() {
        return true;
    }

    @Override
    default int leastReplyBytes() {
        return RESULT_BYTES;
    }
}
