package org.warpnfs.sockets;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.payload.Pieces;

/**
 * One call of sendmsg(2), which gathers buffers without waiting.
 *
 * <h2>Buffers</h2>
 *
 * Direct buffers are sent from where they are. Those on the heap are copied into memory of the thread.
 *
 * <p>For the thread that got it from {@link #ofThread} alone.
 */
final class GatheringSend {
    /** The most that one call gathers (IOV_MAX). */
    private static final int MAX_BUFFERS = 1024;

    private static final int COPIED_BYTES = 64 << 10;
    private static final int ZERO_BYTES = 64 << 10;

    // struct msghdr of 64-bit Linux: name, namelen, iov, iovlen, control, controllen, flags.
    private static final long MSGHDR_BYTES = 56;
    private static final long MSG_IOV = 16;
    private static final long MSG_IOVLEN = 24;
    private static final long IOVEC_BYTES = 16;

    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_EOR = 0x80;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_MORE = 0x8000;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CORK = 3;
    private static final int EINTR = 4;
    private static final int EAGAIN = 11;

    private static final MethodHandle SENDMSG =
            SocketCalls.handle("sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle SETSOCKOPT = SocketCalls.handle(
            "setsockopt", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
    private static final ThreadLocal<GatheringSend> OF_THREAD = ThreadLocal.withInitial(GatheringSend::new);
    private static final ByteBuffer ZEROES = ByteBuffer.allocateDirect(ZERO_BYTES);

    private final MemorySegment errno;
    private final MemorySegment header;
    private final MemorySegment vector;
    private final MemorySegment copies;
    private final MemorySegment option;
    private int count;
    private long gatheredBytes;
    private long copiedBytes;

    /** What may follow the bytes of a call. */
    enum Then {
        /** Nothing for now. */
        NOTHING,
        /** Other bytes follow at once, so that the kernel may wait for them to fill a segment. */
        MORE,
        /** The last byte ends a segment, whatever follows it. */
        NEW_SEGMENT
    }

    private GatheringSend() {
        Arena arena = Arena.ofAuto();
        errno = SocketCalls.errno(arena);
        header = arena.allocate(MSGHDR_BYTES, Long.BYTES);
        vector = arena.allocate(MAX_BUFFERS * IOVEC_BYTES, Long.BYTES);
        copies = arena.allocate(COPIED_BYTES);
        option = arena.allocate(JAVA_INT);
        header.set(ADDRESS, MSG_IOV, vector);
    }

    /** The object of this thread, with nothing gathered. */
    static GatheringSend ofThread() {
        GatheringSend send = OF_THREAD.get();
        send.count = 0;
        send.gatheredBytes = 0;
        send.copiedBytes = 0;
        return send;
    }

    /**
     * Gathers bytes of a buffer from {@code offset} after its position on, in part if there is no room for all.
     *
     * @return false if not all of them were gathered, so that no others may follow
     */
    boolean add(ByteBuffer buffer, int offset) {
        if (count == MAX_BUFFERS) {
            return false;
        }
        int at = buffer.position() + offset;
        int lengthBytes = buffer.limit() - at;
        if (buffer.isDirect()) {
            add(MemorySegment.ofBuffer(buffer).address() + offset, lengthBytes);
            return true;
        }
        long copied = Math.min(lengthBytes, COPIED_BYTES - copiedBytes);
        MemorySegment.copy(MemorySegment.ofBuffer(buffer), offset, copies, copiedBytes, copied);
        add(copies.address() + copiedBytes, copied);
        copiedBytes += copied;
        return copied == lengthBytes;
    }

    /**
     * Memory of the thread for the next bytes, which the caller fills at once. They are gathered already.
     *
     * @return null if there is no room
     */
    @Nullable
    ByteBuffer addCopied(int lengthBytes) {
        if (count == MAX_BUFFERS || lengthBytes > COPIED_BYTES - copiedBytes) {
            return null;
        }
        add(copies.address() + copiedBytes, lengthBytes);
        ByteBuffer memory = copies.asSlice(copiedBytes, lengthBytes).asByteBuffer();
        copiedBytes += lengthBytes;
        return memory;
    }

    /**
     * Gathers bytes of a part of a file that has been read, with what is between them, from {@code offset} on.
     *
     * @param payload the whole part, in direct memory
     * @return false if not all of them were gathered, so that no others may follow
     */
    boolean add(ByteBuffer payload, Pieces.Gaps gaps, int offset) {
        int everyBytes = gaps.everyBytes();
        int gapBytes = gaps.gapBytes();
        long from = MemorySegment.ofBuffer(payload).address();
        long gapFrom = MemorySegment.ofBuffer(gaps.bytes()).address();
        int frame = offset / (everyBytes + gapBytes);
        int inFrame = offset % (everyBytes + gapBytes);
        int at = frame * everyBytes + Math.min(inFrame, everyBytes);
        int gapAt = frame * gapBytes + Math.max(inFrame - everyBytes, 0);
        int end = payload.remaining();
        int gapsEnd = gaps.bytes().remaining();
        while (at < end || gapAt < gapsEnd) {
            if (count + 2 > MAX_BUFFERS) {
                return false;
            }
            int toGap = Math.min(end, gapAt / gapBytes * everyBytes + everyBytes);
            if (at < toGap) {
                add(from + at, toGap - at);
                at = toGap;
            }
            if (gapAt < gapsEnd) {
                int left = gapBytes - gapAt % gapBytes;
                add(gapFrom + gapAt, left);
                gapAt += left;
            }
        }
        return true;
    }

    /** Gives up what was gathered last, so that {@code lengthBytes} are left. */
    void cut(long lengthBytes) {
        while (gatheredBytes > lengthBytes) {
            long at = (count - 1) * IOVEC_BYTES + Long.BYTES;
            long partBytes = vector.get(JAVA_LONG, at);
            long keptBytes = Math.max(partBytes - (gatheredBytes - lengthBytes), 0);
            vector.set(JAVA_LONG, at, keptBytes);
            gatheredBytes -= partBytes - keptBytes;
            count -= keptBytes == 0 ? 1 : 0;
        }
    }

    /** The number of bytes that are gathered. */
    long gatheredBytes() {
        return gatheredBytes;
    }

    /** True if nothing is gathered. */
    boolean isEmpty() {
        return count == 0;
    }

    /** Gathers zeroes, at most {@code lengthBytes} of them. */
    void addZeroes(long lengthBytes) {
        add(MemorySegment.ofBuffer(ZEROES).address(), Math.min(lengthBytes, ZERO_BYTES));
    }

    private void add(long address, long lengthBytes) {
        vector.set(JAVA_LONG, count * IOVEC_BYTES, address);
        vector.set(JAVA_LONG, count * IOVEC_BYTES + Long.BYTES, lengthBytes);
        gatheredBytes += lengthBytes;
        count++;
    }

    /**
     * Makes the kernel keep packets that are not full, until this is called with false or 0.2 s have passed. For
     * sendfile(2), which has no MSG_MORE.
     */
    @SuppressWarnings("AvoidCatchingThrowable") // a method handle declares nothing narrower
    void keepPartialPackets(int socket, boolean keep) {
        option.set(JAVA_INT, 0, keep ? 1 : 0);
        try {
            // If the option cannot be set, there are more packets and nothing else.
            int _ = (int) SETSOCKOPT.invokeExact(errno, socket, IPPROTO_TCP, TCP_CORK, option, Integer.BYTES);
        } catch (Throwable e) {
            throw new AssertionError("setsockopt is bound wrongly", e);
        }
    }

    /**
     * Sends what was gathered.
     *
     * @return the number of bytes that the socket has taken; -1 if it takes nothing now
     */
    @SuppressWarnings("AvoidCatchingThrowable") // a method handle declares nothing narrower
    long send(int socket, Then then) throws IOException {
        header.set(JAVA_LONG, MSG_IOVLEN, count);
        int flags = MSG_DONTWAIT
                | MSG_NOSIGNAL
                | switch (then) {
                    case NOTHING -> 0;
                    case MORE -> MSG_MORE;
                    case NEW_SEGMENT -> MSG_EOR;
                };
        while (true) {
            long sent;
            try {
                sent = (long) SENDMSG.invokeExact(errno, socket, header, flags);
            } catch (Throwable e) {
                throw new AssertionError("sendmsg is bound wrongly", e);
            }
            if (sent >= 0) {
                return sent;
            }
            int cause = errno.get(JAVA_INT, 0);
            if (cause == EAGAIN) {
                return -1;
            }
            if (cause != EINTR) {
                throw new IOException("sendmsg: errno " + cause);
            }
        }
    }
}
