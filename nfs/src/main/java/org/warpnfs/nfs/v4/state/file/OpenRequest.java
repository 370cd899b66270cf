package org.warpnfs.nfs.v4.state.file;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;

/**
 * Arguments of an OPEN about the file.
 *
 * @param access {@link #READ}, {@link #WRITE} or both
 * @param deny the access that others must not have, in the same bits
 * @param reclaim CLAIM_PREVIOUS
 * @param byDelegation CLAIM_DELEGATE_CUR, with a delegation that the client has: the file was opened before, without
 *     the server. So the grace period does not put it off, which would keep the client from returning the delegation
 * @param permit of a call that has just created the file; null for all others
 */
public record OpenRequest(
        Client client,
        Opaque owner,
        FileKey file,
        int access,
        int deny,
        boolean reclaim,
        boolean byDelegation,
        @Nullable OpenPermit permit) {
    /** An OPEN that does not refer to a delegation. */
    public OpenRequest(Client client, Opaque owner, FileKey file, int access, int deny, boolean reclaim) {
        this(client, owner, file, access, deny, reclaim, false, null);
    }

    /** The same of a file that the call has just created. */
    public OpenRequest by(@Nullable OpenPermit given) {
        return new OpenRequest(client, owner, file, access, deny, reclaim, byDelegation, given);
    }

    /** OPEN4_SHARE_ACCESS_READ and OPEN4_SHARE_DENY_READ. */
    public static final int READ = 1;

    /** OPEN4_SHARE_ACCESS_WRITE and OPEN4_SHARE_DENY_WRITE. */
    public static final int WRITE = 2;

    /** Both bits. */
    public static final int BOTH = 3;
}
