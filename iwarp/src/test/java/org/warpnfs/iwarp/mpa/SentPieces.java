package org.warpnfs.iwarp.mpa;

import java.nio.ByteBuffer;
import java.util.function.Function;
import org.warpnfs.payload.Pieces;

/** What a socket would send of pieces. */
public final class SentPieces {
    private SentPieces() {}

    /**
     * Puts all bytes one after the other.
     *
     * @param files gives the bytes of a part of a file
     */
    public static ByteBuffer bytes(Pieces pieces, Function<Pieces.Part, ByteBuffer> files) {
        ByteBuffer all = ByteBuffer.allocate((int) pieces.lengthBytes());
        int next = 0;
        for (Pieces.Part part : pieces.parts()) {
            while (next < part.before()) {
                all.put(pieces.buffers().get(next++).duplicate());
            }
            ByteBuffer inFile = files.apply(part).duplicate();
            Pieces.Gaps gaps = part.gaps();
            ByteBuffer between =
                    gaps == null ? ByteBuffer.allocate(0) : gaps.bytes().duplicate();
            while (inFile.hasRemaining()) {
                int everyBytes = gaps == null ? inFile.remaining() : Math.min(gaps.everyBytes(), inFile.remaining());
                all.put(inFile.slice(inFile.position(), everyBytes));
                inFile.position(inFile.position() + everyBytes);
                if (between.hasRemaining()) {
                    all.put(between.slice(between.position(), gaps.gapBytes()));
                    between.position(between.position() + gaps.gapBytes());
                }
            }
        }
        while (next < pieces.buffers().size()) {
            all.put(pieces.buffers().get(next++).duplicate());
        }
        if (all.hasRemaining()) {
            throw new AssertionError(all.remaining() + " bytes fewer than the length says");
        }
        return all.flip();
    }
}
