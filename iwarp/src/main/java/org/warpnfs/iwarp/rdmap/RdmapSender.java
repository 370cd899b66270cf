package org.warpnfs.iwarp.rdmap;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.io.BigEndian;
import org.warpnfs.iwarp.io.GatherCursor;
import org.warpnfs.payload.FileRange;

/**
 * The sending half of an RDMAP stream. It makes DDP messages and numbers them (RFC 5040, sections 4 and 5; RFC 7306,
 * sections 5 and 6; RFC 5041, section 4.3). Making a message uses up its number, so every message made must be sent, in
 * that order.
 */
public final class RdmapSender {
    private int sendMsn;
    private int requestMsn;
    private int atomicResponseMsn;

    public RdmapSender() {
        this(1);
    }

    /** @param firstMsn 1 on every real stream; tests use other numbers to see them wrap */
    RdmapSender(int firstMsn) {
        sendMsn = firstMsn;
        requestMsn = firstMsn;
        atomicResponseMsn = firstMsn;
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

    /** An RDMA Write of bytes in a file. */
    public static DdpMessage write(long stag, long taggedOffset, FileRange source, int from, int lengthBytes) {
        GatherCursor payload = new GatherCursor(source, from, lengthBytes);
        return new DdpMessage.Tagged(RdmapControl.of(RdmapOpcode.RDMA_WRITE), stag, taggedOffset, payload);
    }

    /** An RDMA Read Request. */
    public DdpMessage readRequest(ReadRequestHeader request) {
        ByteBuffer message = ByteBuffer.allocate(ReadRequestHeader.BYTES);
        request.encode(message);
        return untagged(RdmapOpcode.READ_REQUEST, RdmapQueue.READ_REQUESTS, requestMsn++, message);
    }

    /** An Atomic Request. It shares its queue and its numbers with Read Requests. */
    public DdpMessage atomicRequest(AtomicRequestHeader request) {
        ByteBuffer message = ByteBuffer.allocate(AtomicRequestHeader.BYTES);
        request.encode(message);
        return untagged(RdmapOpcode.ATOMIC_REQUEST, RdmapQueue.READ_REQUESTS, requestMsn++, message);
    }

    /** The answer to an Atomic Request. */
    public DdpMessage atomicResponse(AtomicResponseHeader response) {
        ByteBuffer message = ByteBuffer.allocate(AtomicResponseHeader.BYTES);
        response.encode(message);
        return untagged(RdmapOpcode.ATOMIC_RESPONSE, RdmapQueue.ATOMIC_RESPONSES, atomicResponseMsn++, message);
    }

    /**
     * Immediate Data. It shares its queue and its numbers with Sends.
     *
     * @param data the eight bytes, the first of them in the highest bits
     */
    public DdpMessage immediateData(long data, boolean solicited) {
        ByteBuffer message = ByteBuffer.allocate(Long.BYTES);
        BigEndian.putU64(message, data);
        return untagged(
                solicited ? RdmapOpcode.IMMEDIATE_DATA_SOLICITED : RdmapOpcode.IMMEDIATE_DATA,
                RdmapQueue.SENDS,
                sendMsn++,
                message);
    }

    /** The answer to a Read Request. */
    public static DdpMessage readResponse(ReadRequestHeader request, List<ByteBuffer> source) {
        return new DdpMessage.Tagged(
                RdmapControl.of(RdmapOpcode.READ_RESPONSE), request.sinkStag(), request.sinkOffset(), source);
    }

    /** A Terminate, which is the only message of its queue and the last of the stream. */
    public static DdpMessage terminate(TerminateHeader header) {
        ByteBuffer message = ByteBuffer.allocate(header.lengthBytes());
        header.encode(message);
        return untagged(RdmapOpcode.TERMINATE, RdmapQueue.TERMINATES, 1, message);
    }

    private static DdpMessage untagged(RdmapOpcode opcode, int qn, int msn, ByteBuffer message) {
        return new DdpMessage.Untagged(RdmapControl.of(opcode), 0, qn, msn, List.of(message.flip()));
    }
}
