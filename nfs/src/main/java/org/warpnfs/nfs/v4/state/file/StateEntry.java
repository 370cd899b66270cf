package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.v4.state.core.Client;

/** A state that a stateid names. */
sealed interface StateEntry permits OpenState, LockState, DelegationState, LayoutState {
    Client client();

    FileKey key();

    long number();

    int seqid();
}
