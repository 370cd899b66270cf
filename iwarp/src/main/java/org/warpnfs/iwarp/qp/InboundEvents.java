package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.mpa.RtrKind;
import org.warpnfs.iwarp.rdmap.TerminateHeader;
import org.warpnfs.iwarp.verbs.Completion;

/** Receives the events of an {@link InboundStream}, in the order in which the bytes arrive. */
interface InboundEvents {
    /** Whether an RTR of this kind may open the stream now (RFC 6581, section 9.2). */
    boolean expects(RtrKind kind);

    /** An FPDU is complete. If it ends a message, the event of the message follows. */
    void fpduArrived();

    /** A message has filled a posted receive, or the message may not be delivered and its receive is returned. */
    void received(Completion completion);

    /** The peer sent a permitted Read Request or Atomic Request. */
    void requested(Answer answer);

    /** All bytes of the oldest outstanding Read have been placed. */
    void readCompleted();

    /** The oldest outstanding atomic operation was executed. The argument is the previous value of the word. */
    void atomicCompleted(long originalValue);

    /** The peer ended the stream with a Terminate. The raw message is for the log. */
    void peerTerminated(TerminateHeader header, String rawHex);
}
