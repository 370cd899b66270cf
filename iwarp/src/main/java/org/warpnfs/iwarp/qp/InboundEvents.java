package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.rdmap.TerminateHeader;
import org.warpnfs.iwarp.verbs.Completion;

/** What an {@link InboundStream} tells about the bytes that it takes, in the order in which they arrive. */
interface InboundEvents {
    /** Whether an RTR of this kind may open the stream now (RFC 6581, section 9.2). */
    boolean expects(RtrKind kind);

    /** An FPDU is whole. What it carries, if it ends a message, is told after this. */
    void fpduArrived();

    /** A message has filled a posted receive, or it may not be delivered and its receive comes back. */
    void received(Completion completion);

    /** The peer asks for an RDMA Read or an atomic operation, and may. */
    void requested(Answer answer);

    /** The oldest outstanding Read has all its bytes. */
    void readCompleted();

    /** The oldest outstanding atomic operation was executed, on a word that held this value. */
    void atomicCompleted(long originalValue);

    /** The peer has ended the stream by a Terminate, which is given raw too, for the log. */
    void peerTerminated(TerminateHeader header, String rawHex);
}
