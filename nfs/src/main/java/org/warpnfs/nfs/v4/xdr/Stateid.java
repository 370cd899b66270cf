package org.warpnfs.nfs.v4.xdr;

/**
 * stateid4 (RFC 8881, section 8.2): sixteen bytes.
 *
 * <pre>
 *   0   seqid       counts the changes of one state
 *   4   instance    of the server that made it ("other", first four bytes)
 *   8   number      of the state within that instance ("other", last eight bytes)
 * </pre>
 *
 * The server never uses an instance of 0 or of all ones, so none of its stateids can be mistaken for a special one
 * (section 8.2.3).
 */
public record Stateid(int seqid, int instance, long number) {
    public static final int LENGTH_BYTES = 16;

    /** All zeros: no open, no locks. */
    public static final Stateid ANONYMOUS = new Stateid(0, 0, 0);

    /** All ones: a READ that bypasses locks. */
    public static final Stateid READ_BYPASS = new Stateid(-1, -1, -1);

    /** Seqid 1 and zeros: the current stateid of the COMPOUND. */
    public static final Stateid CURRENT = new Stateid(1, 0, 0);

    /** Seqid all ones and zeros: the invalid stateid, which CLOSE returns. */
    public static final Stateid INVALID = new Stateid(-1, 0, 0);

    /** True if it names no state of this server. */
    public boolean isSpecial() {
        return (instance == 0 && number == 0) || (instance == -1 && number == -1);
    }

    public boolean isAnonymous() {
        return equals(ANONYMOUS) || equals(READ_BYPASS);
    }

    public Stateid withSeqid(int newSeqid) {
        return new Stateid(newSeqid, instance, number);
    }

    public void encode(CompoundWriter out) {
        out.int32(seqid);
        out.int32(instance);
        out.int64(number);
    }
}
