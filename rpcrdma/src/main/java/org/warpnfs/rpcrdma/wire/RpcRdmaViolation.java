package org.warpnfs.rpcrdma.wire;

/**
 * Thrown when the peer sent a header that breaks RFC 8166. It determines the answer.
 *
 * <p>It has no stack trace, because the fault is the peer's.
 */
public final class RpcRdmaViolation extends Exception {
    private static final long serialVersionUID = 1L;

    /** The responder's answer to the violation (RFC 8166, section 4.5). */
    public enum Answer {
        /** RDMA_ERROR with ERR_VERS and the versions that we support. */
        ERR_VERS,
        /** RDMA_ERROR with ERR_CHUNK. */
        ERR_CHUNK,
        /** No answer, because no XID can be trusted or the message is itself an error. */
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

    /** A version that we do not support (RFC 8166, section 4.5.1). */
    static RpcRdmaViolation version(FixedHeader fixed) {
        return new RpcRdmaViolation(
                Answer.ERR_VERS, fixed.xid(), fixed.version(), "RPC-over-RDMA version " + fixed.version());
    }

    /** A header that cannot be parsed, or chunk lists that are not valid (RFC 8166, section 4.5.2). */
    public static RpcRdmaViolation chunk(long xid, String detail) {
        return new RpcRdmaViolation(Answer.ERR_CHUNK, xid, FixedHeader.VERSION, detail);
    }

    static RpcRdmaViolation drop(String detail) {
        return new RpcRdmaViolation(Answer.DROP, 0, FixedHeader.VERSION, detail);
    }

    public Answer answer() {
        return answer;
    }

    /** The XID of the answer; 0 if the answer is {@link Answer#DROP}. */
    public long xid() {
        return xid;
    }

    /** The version word as the peer sent it. */
    public long version() {
        return version;
    }
}
