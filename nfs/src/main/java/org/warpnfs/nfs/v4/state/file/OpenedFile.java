package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * Result of OPEN.
 *
 * @param stateid of the open; null if the client wanted an open or a delegation, and got a delegation
 */
public record OpenedFile(@Nullable Stateid stateid, DelegationGrant delegation) {
    /** The stateid of the open or, if there is none, of the delegation. */
    public Stateid current() {
        return stateid != null
                ? stateid
                : switch (delegation) {
                    case DelegationGrant.Read read -> read.stateid();
                    case DelegationGrant.Write write -> write.stateid();
                    case DelegationGrant.None _ -> Stateid.ANONYMOUS;
                };
    }

    /** The stateid in the result of OPEN; the anonymous one where a flag says that there is none. */
    public Stateid encoded() {
        return stateid != null ? stateid : Stateid.ANONYMOUS;
    }
}
