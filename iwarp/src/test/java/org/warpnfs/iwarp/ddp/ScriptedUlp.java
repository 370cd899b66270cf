package org.warpnfs.iwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.Hex;
import org.warpnfs.iwarp.io.ProtocolViolation;

/** An upper layer that accepts any RsvdULP and records what it is told. */
final class ScriptedUlp implements DdpUlp {
    final DdpReceiver receiver = new DdpReceiver(this);
    final Map<Long, UntaggedQueue> queues = new HashMap<>();
    final Map<Long, Area> areas = new HashMap<>();
    final List<String> heard = new ArrayList<>();

    /** Memory with guard bytes on both sides. */
    static final class Area implements TaggedBuffer {
        static final int GUARD_BYTES = 64;
        private static final byte GUARD = 0x5c;
        private final ByteBuffer guarded;
        private final long base;
        private final int lengthBytes;

        Area(long base, int lengthBytes) {
            this.base = base;
            this.lengthBytes = lengthBytes;
            guarded = ByteBuffer.allocate(lengthBytes + 2 * GUARD_BYTES);
            for (int i = 0; i < GUARD_BYTES; i++) {
                guarded.put(i, GUARD).put(GUARD_BYTES + lengthBytes + i, GUARD);
            }
        }

        @Override
        public long taggedOffset() {
            return base;
        }

        @Override
        public int lengthBytes() {
            return lengthBytes;
        }

        @Override
        public void place(int offsetBytes, ByteBuffer bytes) {
            guarded.put(GUARD_BYTES + offsetBytes, bytes, bytes.position(), bytes.remaining());
        }

        ByteBuffer memory() {
            return guarded.slice(GUARD_BYTES, lengthBytes);
        }

        void assertGuarded() {
            for (int i = 0; i < GUARD_BYTES; i++) {
                assertThat(guarded.get(i)).isEqualTo(GUARD);
                assertThat(guarded.get(GUARD_BYTES + lengthBytes + i)).isEqualTo(GUARD);
            }
        }
    }

    Area area(long stag, long base, int lengthBytes) {
        Area area = new Area(base, lengthBytes);
        areas.put(stag, area);
        return area;
    }

    UntaggedQueue queue(int qn, int firstMsn) {
        UntaggedQueue queue = new UntaggedQueue(qn, firstMsn);
        queues.put((long) qn, queue);
        return queue;
    }

    ByteBuffer post(int qn, int lengthBytes) {
        ByteBuffer memory = ByteBuffer.allocate(lengthBytes);
        queues.get((long) qn).post(new UntaggedBuffer(memory));
        return memory;
    }

    /** Delivers a segment in one piece. */
    void segment(String hex) throws ProtocolViolation {
        segment(Hex.bytes(hex), Integer.MAX_VALUE);
    }

    /** Delivers a segment in pieces. */
    void segment(ByteBuffer bytes, int pieceBytes) throws ProtocolViolation {
        receiver.segmentStarted(bytes.remaining());
        while (bytes.hasRemaining()) {
            ByteBuffer piece = bytes.slice(bytes.position(), Math.min(pieceBytes, bytes.remaining()));
            bytes.position(bytes.position() + piece.remaining());
            receiver.segmentBytes(piece);
        }
        receiver.segmentEnded();
    }

    /** The error that a segment causes; null if there is none. */
    @Nullable
    DdpError errorOf(String hex) {
        try {
            segment(hex);
            return null;
        } catch (DdpViolation violation) {
            return violation.error();
        } catch (ProtocolViolation violation) {
            throw new AssertionError(violation);
        }
    }

    @Override
    public @Nullable UntaggedQueue queue(UntaggedHeader header) {
        long qn = header.qn();
        return queues.get(qn);
    }

    @Override
    public void checkUntagged(UntaggedHeader header, boolean continues) {
        if (!continues) {
            heard.add("another RsvdULP within a message");
        }
    }

    @Override
    public void untaggedOpened(UntaggedHeader header) {
        // This upper layer does not track which message is open.
    }

    @Override
    public void untaggedDelivered(UntaggedHeader header, UntaggedBuffer buffer, int messageBytes) {
        heard.add(String.format(
                "delivered %02x%08x qn %d msn %08x: %s",
                header.rsvdUlp(),
                header.rsvdUlpWord(),
                header.qn(),
                header.msn(),
                Hex.of(buffer.message(messageBytes))));
    }

    @Override
    public @Nullable TaggedBuffer checkTagged(TaggedHeader header, int payloadBytes) throws DdpViolation {
        if (payloadBytes == 0) {
            return null;
        }
        Area area = areas.get(header.stag());
        if (area == null) {
            throw new DdpViolation(DdpError.TAGGED_INVALID_STAG, "no such STag");
        }
        return area;
    }

    @Override
    public void taggedPlaced(TaggedHeader header, int payloadBytes) {
        heard.add(String.format(
                "%s %02x stag %08x to %x: %d bytes",
                header.last() ? "ended" : "placed",
                header.rsvdUlp(),
                header.stag(),
                header.taggedOffset(),
                payloadBytes));
    }
}
