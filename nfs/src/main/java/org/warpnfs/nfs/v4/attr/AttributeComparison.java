package org.warpnfs.nfs.v4.attr;

import java.util.Arrays;
import java.util.BitSet;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.idmap.Accounts.Kind;
import org.warpnfs.nfs.v4.xdr.CompoundReader;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * Compares the values of an fattr4 with those of a file (RFC 8881, section 18.31). Values are compared as bytes, except
 * owners and access control lists: a name and a number can mean the same user, and a client may send either, whatever
 * this server sends.
 */
public final class AttributeComparison {
    private final AttributeSource source;
    private final byte[] theirs;
    private int at;

    private AttributeComparison(AttributeSource source, byte[] theirs) {
        this.source = source;
        this.theirs = theirs;
    }

    /**
     * Returns true if all values are those of the file.
     *
     * @param named attributes that are supported and can be read
     * @param values their values, in the order of their numbers
     * @throws Nfs4Exception DELAY while a name service is looking up a name, BADXDR if a list ends early
     */
    public static boolean areSame(BitSet named, byte[] values, AttributeSource source)
            throws Nfs4Exception, FsException {
        AttributeComparison comparison = new AttributeComparison(source, values);
        for (int number = named.nextSetBit(0); number >= 0; number = named.nextSetBit(number + 1)) {
            Attribute attribute = Attribute.of(number, source.minorVersion());
            if (attribute == null || !comparison.isSame(attribute)) {
                return false;
            }
        }
        return comparison.at == values.length;
    }

    private boolean isSame(Attribute attribute) throws Nfs4Exception, FsException {
        if (areNextBytes(attribute)) {
            return true;
        }
        return switch (attribute) {
            case OWNER -> isOwner(Kind.USER, source.file().uid());
            case OWNER_GROUP -> isOwner(Kind.GROUP, source.file().gid());
            case ACL -> isAcl();
            default -> false;
        };
    }

    private boolean areNextBytes(Attribute attribute) throws FsException {
        CompoundWriter out = new CompoundWriter();
        attribute.encode(source, out);
        byte[] ours = out.toByteArray();
        int end = at + ours.length;
        boolean same = end <= theirs.length && Arrays.equals(theirs, at, end, ours, 0, ours.length);
        if (same) {
            at = end;
        }
        return same;
    }

    private CompoundReader rest() {
        Xdr xdr = new Xdr(Arrays.copyOfRange(theirs, at, theirs.length));
        xdr.beginDecoding();
        return new CompoundReader(xdr);
    }

    private boolean isOwner(Kind kind, long id) throws Nfs4Exception {
        CompoundReader in = rest();
        byte[] name = OwnerName.decode(in);
        at += (int) in.consumedBytes();
        try {
            return OwnerName.idOf(kind, name, source.server().owners()) == id;
        } catch (Nfs4Exception e) {
            return notSame(e);
        }
    }

    private boolean isAcl() throws Nfs4Exception, FsException {
        CompoundReader in = rest();
        try {
            boolean same = Nfs4Acl.decode(in, source.server().owners()).equals(Attribute.acl(source));
            at += (int) in.consumedBytes();
            return same;
        } catch (Nfs4Exception e) {
            return notSame(e);
        }
    }

    /** Treats an unknown name as a difference. Throws other errors. */
    private static boolean notSame(Nfs4Exception e) throws Nfs4Exception {
        if (e.status() == Nfs4Status.DELAY || e.status() == Nfs4Status.BADXDR) {
            throw e;
        }
        return false;
    }
}
