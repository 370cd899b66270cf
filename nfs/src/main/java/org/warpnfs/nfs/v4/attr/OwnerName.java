package org.warpnfs.nfs.v4.attr;

import org.warpnfs.nfs.idmap.Accounts.Kind;
import org.warpnfs.nfs.idmap.AnswerPending;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.idmap.UnknownName;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** owner and owner_group on the wire (RFC 8881, section 5.9). */
final class OwnerName {
    private static final int MAX_ENCODED_BYTES = 1024;

    private OwnerName() {}

    /** Decodes the bytes of a name without looking it up. */
    static byte[] decode(CompoundReader in) throws Nfs4Exception {
        return in.opaque(MAX_ENCODED_BYTES);
    }

    /** The id of a name; BADOWNER if there is none, DELAY while a name service is asked. */
    static long idOf(Kind kind, byte[] name, OwnerNames owners) throws Nfs4Exception {
        try {
            return owners.idOf(kind, name);
        } catch (UnknownName e) {
            throw Nfs4Exception.of(Nfs4Status.BADOWNER);
        } catch (AnswerPending e) {
            throw Nfs4Exception.of(Nfs4Status.DELAY);
        }
    }

    static void encode(Kind kind, long id, OwnerNames owners, CompoundWriter out) {
        out.opaque(owners.nameOf(kind, id));
    }
}
