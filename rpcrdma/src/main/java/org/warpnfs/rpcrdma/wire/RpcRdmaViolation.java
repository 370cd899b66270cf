package org.warpnfs.rpcrdma.wire;

/**
 * The peer sent a header that breaks RFC 8166. Says what to answer.
 *
 * <p>Carries no stack: its place is in the peer, not here.
 */
public final class RpcRdmaViolation extends Exception {
    private static final long serialVersionUID = 1L;

    /** What the responder does about it (RFC 8166, section 4.5). */
    public enum Answer {
        /** RDMA_ERROR with ERR_VERS and the versions that we speak. */
        ERR_VERS,
        /** RDMA_ERROR with ERR_CHUNK. */
        ERR_CHUNK,
        /** Nothing: there is no XID to trust, or the message is itself an error. */
        DROP
    }

    private final Answer answer;
    private final long xid;
    private final long version;

    private RpcRdmaViolation(Answer answer, long xid, long version, String detail) {
        super(detail, null, false, false);
        this.answer = answer;
        this.xid = xid;
        this.version = version;
    }

    /** RFC 8166, section 4.5.1. */
    static RpcRdmaViolation version(FixedHeader fixed) {
        return new RpcRdmaViolation(
                Answer.ERR_VERS, fixed.xid(), fixed.version(), "RPC-over-RDMA version " + fixed.version());
    }

    /** RFC 8166, section 4.5.2: the header cannot be parsed, or its chunk lists make no sense. */
    public static RpcRdmaViolation chunk(long xid, String detail) {
        return new RpcRdmaViolation(Answer.ERR_CHUNK, xid, FixedHeader.VERSION, detail);
    }

    static RpcRdmaViolation drop(String detail) {
        return new RpcRdmaViolation(Answer.DROP, 0, FixedHeader.VERSION, detail);
    }

    public Answer answer() {
        return answer;
    }

    /** The XID to answer with; 0 where the answer is {@link Answer#DROP}. */
    public long xid() {
        return xid;
    }

    /** The version word as the peer sent it. */
    public long version() {
        return version;
    }
}
