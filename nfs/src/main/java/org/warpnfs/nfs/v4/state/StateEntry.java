package org.warpnfs.nfs.v4.state;

/** What a stateid names. */
sealed interface StateEntry permits OpenState, LockState {
    Client client();

    FileState file();

    /** The open itself, or the one below which locks are held. */
    OpenState open();

    long number();

    int seqid();
}
