package org.warpnfs.nfs.v4.state;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Delegations: DELEGRETURN, and changes of delegated files. {@link OpenStates} grants delegations. See
 * {@link StateTable}.
 */
public final class DelegationStates {
    private final StateCore core;

    DelegationStates(StateCore core) {
        this.core = core;
    }

    /**
     * Begins a change of a file's data, attributes or names. No client other than {@code by} has or gets a delegation
     * of the file until the change is closed.
     *
     * @param by the client that makes the change; null for anyone who is not an NFSv4 client
     * @throws Nfs4Exception DELAY while another client has a delegation of it, which is being recalled
     */
    public Change beginChange(long nowNanos, FileHandle file, @Nullable Client by) throws Nfs4Exception {
        return core.locked(() -> {
            core.expireWhile(nowNanos, () -> core.delegations.conflict(nowNanos, file, by), Nfs4Status.DELAY);
            core.delegations.changes().begin(file);
            return new Change(file);
        });
    }

    /** The time during which a file is changed. It ends once. */
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

    /** Checks CLAIM_DELEGATE_CUR; BAD_STATEID unless the stateid is that of the client's delegation of the file. */
    public void require(Client client, FileKey file, Stateid stateid) throws Nfs4Exception {
        core.change(() -> core.delegations.find(client, file, stateid));
    }
}
