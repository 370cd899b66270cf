package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Lets the socket read straight into the record that a {@link RecordReader} has in progress, and otherwise into pooled
 * buffers of suitable size.
 *
 * <p>For one channel. For its event loop only.
 */
final class RecordReads implements RecvByteBufAllocator {
    private final RecvByteBufAllocator otherwise = new AdaptiveRecvByteBufAllocator();
    private final RecordReader reader;
    private boolean encrypted;

    RecordReads(RecordReader reader) {
        this.reader = reader;
    }

    /** From now on the socket gives ciphertext, which is no part of a record. */
    void encrypted() {
        encrypted = true;
    }

    @Override
    @SuppressWarnings("deprecation") // the epoll transport requires this type, and Netty has no other
    public Handle newHandle() {
        return new IntoRecord((ExtendedHandle) otherwise.newHandle());
    }

    private final class IntoRecord extends DelegatingHandle implements ExtendedHandle {
        private final ExtendedHandle delegate;

        IntoRecord(ExtendedHandle delegate) {
            super(delegate);
            this.delegate = delegate;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf target = encrypted ? null : reader.target();
            return target != null ? target : delegate.allocate(allocator);
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return delegate.continueReading(maybeMoreData);
        }
    }
}
