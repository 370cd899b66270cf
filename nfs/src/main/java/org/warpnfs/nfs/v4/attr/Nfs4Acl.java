package org.warpnfs.nfs.v4.attr;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.warpnfs.nfs.idmap.Accounts.Kind;
import org.warpnfs.nfs.idmap.OwnerNames;
import org.warpnfs.nfs.v4.attr.Nfs4Ace.Who;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * The acl attribute (RFC 8881, section 6.2.1) on the wire.
 *
 * <pre>
 * uint32             number of entries, then for each
 * uint32             type
 * uint32             flag
 * uint32             access mask
 * utf8str_mixed      who: OWNER@, GROUP@, EVERYONE@, or a user or group as in owner and owner_group
 * </pre>
 */
final class Nfs4Acl {
    /** The most entries that two lists of 1024 entries need: an ALLOW and a DENY for each. */
    static final int MAX_ACES = 4096;

    private static final int IDENTIFIER_GROUP = 0x40;
    private static final byte[] OWNER = "OWNER@".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] GROUP = "GROUP@".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] EVERYONE = "EVERYONE@".getBytes(StandardCharsets.US_ASCII);

    private Nfs4Acl() {}

    static void encode(List<Nfs4Ace> aces, OwnerNames owners, CompoundWriter out) {
        out.int32(aces.size());
        for (Nfs4Ace ace : aces) {
            out.int32(ace.type());
            out.int32(ace.flags() | (ace.who() instanceof Who.Group ? IDENTIFIER_GROUP : 0));
            out.int32(ace.mask());
            switch (ace.who()) {
                case Who.Owner _ -> out.opaque(OWNER);
                case Who.User(long uid) -> OwnerName.encode(Kind.USER, uid, owners, out);
                case Who.OwningGroup _ -> out.opaque(GROUP);
                case Who.Group(long gid) -> OwnerName.encode(Kind.GROUP, gid, owners, out);
                case Who.Everyone _ -> out.opaque(EVERYONE);
            }
        }
    }

    /**
     * Decodes a list. Memory is allocated for the entries that are there, not for their claimed number.
     *
     * @throws Nfs4Exception FBIG for more than {@value #MAX_ACES} entries, BADOWNER for an unknown user or group
     */
    static List<Nfs4Ace> decode(CompoundReader in, OwnerNames owners) throws Nfs4Exception {
        long count = in.uint32();
        if (count > MAX_ACES) {
            throw Nfs4Exception.of(Nfs4Status.FBIG);
        }
        List<Nfs4Ace> aces = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            int type = in.int32();
            int flags = in.int32();
            int mask = in.int32();
            Who who = who(OwnerName.decode(in), (flags & IDENTIFIER_GROUP) != 0, owners);
            aces.add(new Nfs4Ace(type, flags & ~IDENTIFIER_GROUP, mask, who));
        }
        return List.copyOf(aces);
    }

    private static Who who(byte[] name, boolean isGroup, OwnerNames owners) throws Nfs4Exception {
        if (Arrays.equals(name, OWNER)) {
            return new Who.Owner();
        }
        if (Arrays.equals(name, GROUP)) {
            return new Who.OwningGroup();
        }
        if (Arrays.equals(name, EVERYONE)) {
            return new Who.Everyone();
        }
        return isGroup
                ? new Who.Group(OwnerName.idOf(Kind.GROUP, name, owners))
                : new Who.User(OwnerName.idOf(Kind.USER, name, owners));
    }
}
