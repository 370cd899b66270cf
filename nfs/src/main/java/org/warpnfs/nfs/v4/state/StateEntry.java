package org.warpnfs.nfs.v4.state;

/** What a stateid names. */
sealed interface StateEntry permits OpenState, LockState, DelegationState {
    Client client();

    FileKey key();

    long number();

    int seqid();
}
