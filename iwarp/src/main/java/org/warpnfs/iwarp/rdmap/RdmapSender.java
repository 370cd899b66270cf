package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import org.warpnfs.iwarp.ddp.DdpMessage;

/**
 * The sending half of an RDMAP stream: makes DDP messages and numbers them (RFC 5040 sections 4 and 5; RFC 5041 section 4.3).
 * A message made is a message to be sent, in that order, for its number is spent.
 */
public final class RdmapSender {
    private int sendMsn;
    private int readRequestMsn;

    public RdmapSender() {
        this(1);
    }

    /** @param firstMsn 1 on every real stream; another where a test is to see the numbers wrap */
    RdmapSender(int firstMsn) {
        sendMsn = firstMsn;
        readRequestMsn = firstMsn;
    }

    /** A Send in one of its four forms. */
    public DdpMessage send(List<ByteBuffer> message, boolean solicited, OptionalLong invalidateStag) {
        RdmapOpcode opcode = RdmapOpcode.send(solicited, invalidateStag.isPresent());
        return new DdpMessage.Untagged(
                RdmapControl.of(opcode), invalidateStag.orElse(0), RdmapQueue.SENDS, sendMsn++, message);
    }

    /** An RDMA Write. */
    public static DdpMessage write(long stag, long taggedOffset, List<ByteBuffer> source) {
        return new DdpMessage.Tagged(RdmapControl.of(RdmapOpcode.RDMA_WRITE), stag, taggedOffset, source);
    }

    /** An RDMA Read Request. */
    public DdpMessage readRequest(ReadRequestHeader request) {
        ByteBuffer message = ByteBuffer.allocate(ReadRequestHeader.BYTES);
        request.encode(message);
        return new DdpMessage.Untagged(
                RdmapControl.of(RdmapOpcode.READ_REQUEST),
                0,
                RdmapQueue.READ_REQUESTS,
                readRequestMsn++,
                List.of(message.flip()));
    }

    /** The answer to a Read Request. */
    public static DdpMessage readResponse(ReadRequestHeader request, List<ByteBuffer> source) {
        return new DdpMessage.Tagged(
                RdmapControl.of(RdmapOpcode.READ_RESPONSE), request.sinkStag(), request.sinkOffset(), source);
    }

    /** A Terminate: the one and last. */
    public static DdpMessage terminate(TerminateHeader header) {
        ByteBuffer message = ByteBuffer.allocate(header.lengthBytes());
        header.encode(message);
        return new DdpMessage.Untagged(
                RdmapControl.of(RdmapOpcode.TERMINATE), 0, RdmapQueue.TERMINATES, 1, List.of(message.flip()));
    }
}
