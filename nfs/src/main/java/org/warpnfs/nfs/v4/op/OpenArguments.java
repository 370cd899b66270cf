package org.warpnfs.nfs.v4.op;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.v4.attr.AttributeUpdate;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.DelegationWant;
import org.warpnfs.nfs.v4.state.file.FileKey;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * OPEN4args (RFC 8881, section 18.16.1).
 *
 * <pre>
 *   seqid4       seqid, of NFSv4.0 (RFC 7530, section 16.16)
 *   uint32       share_access, with wants of delegations above its two low bits
 *   uint32       share_deny
 *   open_owner4  owner { clientid4, opaque&lt;1024&gt; }
 *   openflag4    openhow: 0 no create; 1 create { 0 UNCHECKED fattr4, 1 GUARDED fattr4, 2 EXCLUSIVE verifier4,
 *                         3 EXCLUSIVE4_1 verifier4 fattr4 }
 *   open_claim4  claim: 0 NULL component4; 1 PREVIOUS delegation type; 2 DELEGATE_CUR stateid4 component4;
 *                       3 DELEGATE_PREV component4; 4 FH; 5 DELEG_CUR_FH stateid4; 6 DELEG_PREV_FH
 * </pre>
 *
 * @param want the want of a delegation, unshifted
 * @param wantsTimestamps the client wants to keep the times of a file under a write delegation
 * @param wantsEither the client needs no open if it gets a delegation
 * @param create null to open an existing file
 * @param update the attributes in {@code create}
 * @param exclusive the file is created exclusively
 * @param delegation null except for the claims of delegated files
 * @param reclaimed the open_delegation_type4 of CLAIM_PREVIOUS; 0 is none
 * @param name null for the claims that are made on the file itself
 */
record OpenArguments(
        int access,
        int deny,
        int want,
        boolean wantsTimestamps,
        boolean wantsEither,
        Opaque owner,
        @Nullable CreateMode create,
        AttributeUpdate update,
        boolean exclusive,
        int claim,
        @Nullable Stateid delegation,
        int reclaimed,
        @Nullable FileName name) {
    static final int CLAIM_NULL = 0;
    static final int CLAIM_PREVIOUS = 1;
    static final int CLAIM_DELEGATE_CUR = 2;
    static final int CLAIM_DELEGATE_PREV = 3;
    static final int CLAIM_FH = 4;
    static final int CLAIM_DELEG_CUR_FH = 5;
    static final int CLAIM_DELEG_PREV_FH = 6;

    static final int WANT_READ = 0x0100;
    static final int WANT_WRITE = 0x0200;
    static final int WANT_NO_DELEGATION = 0x0400;
    static final int WANT_CANCEL = 0x0500;

    private static final int EXCLUSIVE = 2;
    private static final int EXCLUSIVE_4_1 = 3;
    private static final int WANT_MASK = 0xff00;
    static final int DELEGATE_READ = 1;
    static final int DELEGATE_WRITE = 2;
    /** OPEN_DELEGATE_READ_ATTRS_DELEG and OPEN_DELEGATE_WRITE_ATTRS_DELEG (RFC 9754, section 5). */
    private static final int DELEGATE_READ_WITH_TIMES = 4;

    static final int DELEGATE_WRITE_WITH_TIMES = 5;
    /** OPEN4_SHARE_ACCESS_WANT_DELEG_TIMESTAMPS (RFC 9754, section 5). */
    private static final int WANT_TIMESTAMPS = 0x0010_0000;
    /** OPEN4_SHARE_ACCESS_WANT_OPEN_XOR_DELEGATION (RFC 9754, section 4). */
    private static final int WANT_XOR = 0x0020_0000;
    /** All other bits above the wants. Two say when the server is to signal; they are accepted and ignored. */
    private static final int OTHER_WISHES = 0x0003_0000 | WANT_TIMESTAMPS | WANT_XOR;

    /** {@link #create} in a directory with a default access control list, where the umask has no effect (RFC 8275). */
    @Nullable
    CreateMode createUnderDefaultAcl() {
        AttributeChanges changes = update.changesUnderDefaultAcl();
        return switch (create) {
            case null -> null;
            case CreateMode.Unchecked _ -> new CreateMode.Unchecked(changes);
            case CreateMode.Guarded _ -> new CreateMode.Guarded(changes);
            case CreateMode.Exclusive(long verifier, var _) -> new CreateMode.Exclusive(verifier, changes);
        };
    }

    /** True for a size of zero, with which an UNCHECKED create truncates an existing file. */
    boolean truncates() {
        return Long.valueOf(0).equals(update.changes().sizeBytes());
    }

    /** True for a size other than zero, which applies to a new file alone. */
    boolean givesSize() {
        return update.changes().sizeBytes() != null && !truncates();
    }

    /** True if the client wants to keep the file's times under a write delegation, or kept them before a restart. */
    boolean keepsTimes() {
        return claim == CLAIM_PREVIOUS ? reclaimed == DELEGATE_WRITE_WITH_TIMES : wantsTimestamps;
    }

    /**
     * What the state is asked for.
     *
     * @param access what the client opens the file for, as far as its state is concerned
     */
    OpenRequest request(Client client, Location file, int access) throws Nfs4Exception {
        return new OpenRequest(
                client,
                owner,
                FileKey.of(file.identity()),
                access,
                deny,
                claim == CLAIM_PREVIOUS,
                delegation != null,
                null);
    }

    /** What the OPEN wants of delegations. */
    DelegationWant.Kind wish() {
        if (claim == CLAIM_PREVIOUS) {
            return switch (reclaimed) {
                case DELEGATE_READ, DELEGATE_READ_WITH_TIMES -> DelegationWant.Kind.RECLAIM_READ;
                case DELEGATE_WRITE, DELEGATE_WRITE_WITH_TIMES -> DelegationWant.Kind.RECLAIM_WRITE;
                default -> DelegationWant.Kind.SETTLED;
            };
        }
        if (delegation != null) {
            return DelegationWant.Kind.SETTLED;
        }
        return switch (want) {
            case WANT_READ -> DelegationWant.Kind.READ;
            case WANT_WRITE -> DelegationWant.Kind.WRITE;
            case WANT_NO_DELEGATION -> DelegationWant.Kind.UNWANTED;
            case WANT_CANCEL -> DelegationWant.Kind.CANCEL;
            default -> DelegationWant.Kind.ANY;
        };
    }

    /**
     * The arguments before everything that can be wrong with an OPEN.
     *
     * @param seqid of the owner, in NFSv4.0
     * @param clientId of the owner, in NFSv4.0
     */
    record Head(int seqid, int shareAccess, int deny, long clientId, Opaque owner) {
        static Head decode(CompoundReader in) throws Nfs4Exception {
            return new Head(in.int32(), in.int32(), in.int32(), in.int64(), Opaque.decode(in));
        }
    }

    /** Decodes the arguments after {@code head}. */
    static OpenArguments decode(Head head, CompoundReader in, int minorVersion, BitSet supported, OwnerNames owners)
            throws Nfs4Exception {
        int shareAccess = head.shareAccess();
        int deny = head.deny();
        CreateMode create = null;
        AttributeUpdate update = AttributeUpdate.NONE;
        boolean exclusive = false;
        if (in.bool()) {
            int mode = in.int32();
            if (mode > (minorVersion == 0 ? EXCLUSIVE : EXCLUSIVE_4_1)) {
                throw Nfs4Exception.of(Nfs4Status.BADXDR);
            }
            exclusive = mode == EXCLUSIVE || mode == EXCLUSIVE_4_1;
            long verifier = exclusive ? in.int64() : 0;
            if (mode != EXCLUSIVE) {
                update = mode == EXCLUSIVE_4_1
                        ? AttributeUpdate.decodeOfExclusive(in, supported, owners)
                        : AttributeUpdate.decodeOfNewFile(in, supported, owners);
            }
            create = switch (mode) {
                case 0 -> new CreateMode.Unchecked(update.changes());
                case 1 -> new CreateMode.Guarded(update.changes());
                case EXCLUSIVE, EXCLUSIVE_4_1 -> new CreateMode.Exclusive(verifier, update.changes());
                default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
            };
        }
        int claim = in.int32();
        if (minorVersion == 0 && claim > CLAIM_DELEGATE_PREV) {
            throw Nfs4Exception.of(Nfs4Status.BADXDR);
        }
        FileName name = null;
        Stateid delegation = null;
        int reclaimed = 0;
        switch (claim) {
            case CLAIM_NULL, CLAIM_DELEGATE_PREV -> name = Names.decode(in);
            case CLAIM_PREVIOUS -> reclaimed = in.int32();
            case CLAIM_DELEGATE_CUR -> {
                delegation = in.stateid();
                name = Names.decode(in);
            }
            case CLAIM_DELEG_CUR_FH -> delegation = in.stateid();
            case CLAIM_FH, CLAIM_DELEG_PREV_FH -> {}
            default -> throw Nfs4Exception.of(Nfs4Status.BADXDR);
        }
        int access = shareAccess & OpenRequest.BOTH;
        if (access == 0
                || (minorVersion == 0 && access != shareAccess)
                || (shareAccess & WANT_MASK) > WANT_CANCEL
                || (shareAccess & ~(OpenRequest.BOTH | WANT_MASK | OTHER_WISHES)) != 0
                || (deny & ~OpenRequest.BOTH) != 0) {
            throw Nfs4Exception.of(Nfs4Status.INVAL);
        }
        return new OpenArguments(
                access,
                deny,
                shareAccess & WANT_MASK,
                minorVersion >= 2 && (shareAccess & WANT_TIMESTAMPS) != 0,
                minorVersion >= 2 && (shareAccess & WANT_XOR) != 0,
                head.owner(),
                create,
                update,
                exclusive,
                claim,
                delegation,
                reclaimed,
                name);
    }
}
