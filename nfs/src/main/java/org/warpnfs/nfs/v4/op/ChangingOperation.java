package org.warpnfs.nfs.v4.op;

/** An operation that changes files or state, and whose result is short. */
interface ChangingOperation extends Operation {
    /** Room for two change_info4, a stateid, and a bitmap of the attributes that were set. */
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
