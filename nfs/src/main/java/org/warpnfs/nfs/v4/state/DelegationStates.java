package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Delegations: DELEGRETURN, and what others may not do beside them. They are granted by {@link OpenStates}. See
 * {@link StateTable}.
 */
public final class DelegationStates {
    private final StateCore core;

    DelegationStates(StateCore core) {
        this.core = core;
    }

    /**
     * A file is about to be changed: its data, its attributes, its names. It is delegated to nobody but {@code by}
     * until the change is closed.
     *
     * @param by null for one who is no NFSv4 client
     * @throws Nfs4Exception DELAY while a client has it delegated; that one is asked to give it back
     */
    public Change beginChange(long nowNanos, FileHandle file, @Nullable Client by) throws Nfs4Exception {
        return core.locked(() -> {
            core.expireWhile(nowNanos, () -> core.delegations.conflict(nowNanos, file, by), Nfs4Status.DELAY);
            core.delegations.changes().begin(file);
            return new Change(file);
        });
    }

    /** The time in which a file is being changed; ends once. */
    public final class Change implements AutoCloseable {
        private final FileHandle file;

        private Change(FileHandle file) {
            this.file = file;
        }

        @Override
        public void close() {
            core.change(() -> core.delegations.changes().end(file));
        }
    }

    /** DELEGRETURN. */
    public void giveBack(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        core.change(() -> core.delegations.giveBack(client, file, stateid));
    }

    /** CLAIM_DELEGATE_CUR: BAD_STATEID unless the client has that file delegated by that stateid. */
    public void require(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        core.change(() -> core.delegations.find(client, file, stateid));
    }
}
