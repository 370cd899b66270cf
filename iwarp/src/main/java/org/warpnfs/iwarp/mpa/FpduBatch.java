package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.FileRange;
import org.warpnfs.payload.Pieces;

/**
 * FPDUs to be sent by one gathering write.
 *
 * <h2>Operation</h2>
 *
 * A {@link Framer} appends FPDUs. Headers, trailers and short payloads are copied into scratch memory, one after the
 * other. Longer payloads are referenced where they are. So an FPDU with one long piece of payload costs two buffers,
 * because its trailer and the next header share one. Short frames of a file follow each other in a {@link FileFrames},
 * which costs nothing for each of them.
 *
 * <p>If FPDUs have to fit TCP segments, each begins a segment, or lies behind others that leave room for it. An FPDU
 * that does not fit into what is left ends the segment before it. So does the end of the batch.
 *
 * <h2>Buffers</h2>
 *
 * The caller lends the scratch memory until the batch has been sent. Payload belongs to the poster of the work request,
 * and must not change until then either.
 *
 * <h2>Errors</h2>
 *
 * Appending an FPDU without asking {@link Framer#hasRoom} first is a bug: it may not fit.
 */
public final class FpduBatch {
    /** Scratch memory of this size holds about a hundred FPDUs. */
    public static final int SCRATCH_BYTES = 8192;

    /**
     * A batch of this many buffers takes no further FPDU. The rest up to IOV_MAX, the most that one system call gathers
     * (1024 on Linux), is for the pieces of the last FPDU.
     */
    private static final int MAX_BUFFERS = 960;

    /** Scratch memory reserved for one FPDU: length, DDP header, RDMAP header, pad and CRC, with room to spare. */
    static final int MAX_OVERHEAD_BYTES = 96;

    /** Payload up to this length is copied, which is cheaper than gathering it. */
    private static final int MAX_COPIED_BYTES = 256;

    /**
     * FPDUs up to this length are short: their payload is read from a file many at a time, which is cheaper than a
     * system call for each.
     */
    public static final int SHORT_FPDU_BYTES = 16 << 10;

    private final ByteBuffer scratch;
    private final Pieces pieces = new Pieces();
    private int runStart;
    private @Nullable FileFrames frames;
    private boolean shortFpdus;

    /** The length of a TCP segment, which FPDUs have to fit; 0 if they need not. */
    private int segmentBytes;

    /** What is taken of the current segment. */
    private int segmentTaken;

    /** @param scratch direct memory, filled from its position on */
    public FpduBatch(ByteBuffer scratch) {
        this.scratch = scratch;
        this.runStart = scratch.position();
    }

    /**
     * Sets how FPDUs are made, before the first of them.
     *
     * @param fpduBytes the longest FPDU
     * @param segment the length of a TCP segment, which FPDUs have to fit; 0 if they need not
     */
    public void makeFpdus(int fpduBytes, int segment) {
        shortFpdus = fpduBytes <= SHORT_FPDU_BYTES;
        segmentBytes = segment;
        if (segment > 0) {
            pieces.cutIntoSegments();
        }
    }

    /** Begins an FPDU of that length, with its markers. */
    void begin(int fpduBytes) {
        if (segmentBytes == 0) {
            return;
        }
        if (segmentTaken == segmentBytes) {
            segmentTaken = 0;
        } else if (segmentTaken > 0 && fpduBytes > segmentBytes - segmentTaken) {
            endRun();
            pieces.endSegment();
            segmentTaken = 0;
        }
        pieces.beginFrame(lengthBytes());
        segmentTaken += fpduBytes;
    }

    /** The longest FPDU that may follow in the current segment, or in the next if that is full. */
    public int segmentRoomBytes() {
        return segmentBytes == 0 ? Integer.MAX_VALUE : segmentBytes - segmentTaken % segmentBytes;
    }

    /** The memory given to the constructor. */
    public ByteBuffer scratch() {
        return scratch;
    }

    /** Whether one more FPDU fits, with a few pieces of payload. */
    boolean hasRoom() {
        return hasRoom(MAX_OVERHEAD_BYTES, 0);
    }

    /**
     * Whether {@code overheadBytes} of scratch memory are free, and {@code moreBuffers} buffers in addition to those of
     * a few pieces of payload.
     */
    boolean hasRoom(int overheadBytes, int moreBuffers) {
        return scratch.remaining() >= overheadBytes && pieces.buffers().size() < MAX_BUFFERS - moreBuffers;
    }

    /** Appends payload. It is copied if it is short and fits into the scratch memory, else referenced. */
    void payload(ByteBuffer piece) {
        payload(piece, MAX_OVERHEAD_BYTES);
    }

    /**
     * Appends payload. It is copied if it is short and {@code overheadBytes} of scratch memory stay free, else
     * referenced.
     */
    void payload(ByteBuffer piece, int overheadBytes) {
        int pieceBytes = piece.remaining();
        if (pieceBytes <= MAX_COPIED_BYTES && scratch.remaining() - pieceBytes >= overheadBytes) {
            scratch.put(piece.duplicate());
        } else {
            endRun();
            pieces.add(piece);
        }
    }

    /**
     * Appends payload that is in a file.
     *
     * @param headerBytes what precedes it in its FPDU, which lies at the end of the scratch memory
     * @param summed whether a CRC of the payload follows it
     */
    void payload(FileRange range, int from, int lengthBytes, int headerBytes, boolean summed) {
        if (frames != null && frames.follows(range, from, lengthBytes, scratch.position())) {
            frames.add(lengthBytes, scratch.position());
            return;
        }
        endRun();
        FileCrc crc = summed ? new FileCrc(scratch, scratch.position() - headerBytes, headerBytes) : null;
        if (shortFpdus) {
            frames = new FileFrames(range, from, lengthBytes, scratch.position(), headerBytes, crc);
        } else if (crc != null) {
            pieces.addSeen(range, from, lengthBytes, crc);
        } else {
            pieces.add(range, from, lengthBytes);
        }
    }

    private void endRun() {
        if (frames != null) {
            frames.appendTo(pieces, scratch);
            runStart = frames.endsAt();
            frames = null;
        }
        int runBytes = scratch.position() - runStart;
        if (runBytes > 0) {
            pieces.add(scratch.slice(runStart, runBytes));
            runStart = scratch.position();
        }
    }

    /** Appends bytes without framing, such as a startup frame. */
    public void raw(ByteBuffer bytes) {
        endRun();
        pieces.add(bytes);
    }

    /** What to write. */
    public Pieces pieces() {
        endRun();
        return pieces;
    }

    /** The buffers to write, in order, of a batch without bytes in files. */
    public List<ByteBuffer> buffers() {
        if (!pieces().inMemory()) {
            throw new IllegalStateException("a batch with bytes in files");
        }
        return pieces.buffers();
    }

    /** The total length of all buffers. */
    public long lengthBytes() {
        return pieces.lengthBytes() + scratch.position() - runStart + (frames == null ? 0 : frames.lengthBytes());
    }
}
