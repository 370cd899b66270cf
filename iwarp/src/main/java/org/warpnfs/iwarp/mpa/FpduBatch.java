package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * FPDUs to be sent by one gathering write.
 *
 * <h2>Operation</h2>
 *
 * A {@link Framer} appends FPDUs. Headers, trailers and short payloads are written one behind the other into scratch
 * memory; longer payloads stay where they are. So an FPDU with one piece of payload costs two buffers, and its trailer
 * shares one with the header of the next.
 *
 * <h2>Buffers</h2>
 *
 * The scratch memory was handed in and goes back to its owner when the batch has been sent. Payload belongs to the
 * poster of the work and must not change before that either.
 *
 * <h2>Errors</h2>
 *
 * An FPDU for which {@link Framer#hasRoom} was not asked may not fit: that is a bug.
 */
public final class FpduBatch {
    /** Scratch memory of this size holds about a hundred FPDUs. */
    public static final int SCRATCH_BYTES = 8192;

    /** Below the limit of buffers that one system call gathers (IOV_MAX, 1024 on Linux). */
    private static final int MAX_BUFFERS = 960;

    /** Length, DDP header, RDMAP header, pad and CRC with room to spare. */
    static final int MAX_OVERHEAD_BYTES = 96;

    /** Payload this short is cheaper copied than gathered. */
    private static final int MAX_COPIED_BYTES = 256;

    private final ByteBuffer scratch;
    private final List<ByteBuffer> buffers = new ArrayList<>();
    private int runStart;
    private long lengthBytes;

    /** @param scratch direct memory, filled from its position */
    public FpduBatch(ByteBuffer scratch) {
        this.scratch = scratch;
        this.runStart = scratch.position();
    }

    /** The memory given to the constructor. */
    public ByteBuffer scratch() {
        return scratch;
    }

    /** Whether one more FPDU surely fits, of whose payload a few pieces are to be expected. */
    boolean hasRoom() {
        return hasRoom(MAX_OVERHEAD_BYTES, 0);
    }

    /**
     * Whether so much scratch memory is left, and room for so many buffers besides those of a few pieces of payload.
     */
    boolean hasRoom(int overheadBytes, int moreBuffers) {
        return scratch.remaining() >= overheadBytes && buffers.size() < MAX_BUFFERS - moreBuffers;
    }

    /** Appends payload: by copy if it is short and fits, else by reference. */
    void payload(ByteBuffer piece) {
        payload(piece, MAX_OVERHEAD_BYTES);
    }

    /** Appends payload: by copy if it is short and leaves so much scratch memory, else by reference. */
    void payload(ByteBuffer piece, int overheadBytes) {
        int pieceBytes = piece.remaining();
        if (pieceBytes <= MAX_COPIED_BYTES && scratch.remaining() - pieceBytes >= overheadBytes) {
            scratch.put(piece.duplicate());
        } else {
            endRun();
            buffers.add(piece);
            lengthBytes += pieceBytes;
        }
    }

    private void endRun() {
        int runBytes = scratch.position() - runStart;
        if (runBytes > 0) {
            buffers.add(scratch.slice(runStart, runBytes));
            lengthBytes += runBytes;
            runStart = scratch.position();
        }
    }

    /** Appends bytes that are not framed: a startup frame. */
    public void raw(ByteBuffer bytes) {
        endRun();
        buffers.add(bytes);
        lengthBytes += bytes.remaining();
    }

    /** What to write, in order. */
    public List<ByteBuffer> buffers() {
        endRun();
        return buffers;
    }

    /** Total of all buffers. */
    public long lengthBytes() {
        return lengthBytes + scratch.position() - runStart;
    }
}
