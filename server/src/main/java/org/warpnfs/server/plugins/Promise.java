package org.warpnfs.server.plugins;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.LentPages;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Stability;

/**
 * What a call of an open file promises beyond the types of its answer. A plug-in that breaks it by mistake would show
 * data of other clients, which lie in the buffer that it was to fill, or lose data that were acknowledged.
 */
sealed interface Promise {
    /** Says how a promise was broken. */
    final class BrokenException extends Exception {
        private static final long serialVersionUID = 1L;

        BrokenException(String message) {
            super(message);
        }
    }

    /**
     * Checks an answer.
     *
     * @throws BrokenException if it is not what was promised
     */
    void check(Object answer) throws BrokenException;

    /** The promise of a call. It is made before the call. */
    static Promise of(Method method, Object @Nullable [] arguments) {
        if (method.getDeclaringClass() != OpenFile.class || arguments == null) {
            return new Nothing();
        }
        return switch (method.getName()) {
            case "read" -> {
                ByteBuffer sink = (ByteBuffer) arguments[0];
                yield new Filled(sink, sink.position(), sink.limit());
            }
            case "write" -> new Written((ByteBuffer) arguments[0], (Stability) arguments[2]);
            case "lend" -> new Lent((int) arguments[1]);
            case "copyTo" -> new Copied((long) arguments[3]);
            default -> new Nothing();
        };
    }

    /** Of other calls. */
    record Nothing() implements Promise {
        @Override
        public void check(Object answer) {
            // Nothing is promised.
        }
    }

    /** The number of bytes is how far the position of the buffer has moved. */
    record Filled(ByteBuffer sink, int position, int limit) implements Promise {
        @Override
        public void check(Object answer) throws BrokenException {
            int moved = sink.position() - position;
            if (moved != (int) answer || moved < 0 || sink.limit() != limit) {
                throw new BrokenException("read returned " + answer + " and moved the position by " + moved);
            }
        }
    }

    /** All is written, at least as stable as was asked. */
    record Written(ByteBuffer source, Stability asked) implements Promise {
        @Override
        public void check(Object answer) throws BrokenException {
            if (source.hasRemaining()) {
                throw new BrokenException("write left " + source.remaining() + " bytes");
            }
            if (((Stability) answer).compareTo(asked) < 0) {
                throw new BrokenException("write reached " + answer + ", not " + asked);
            }
        }
    }

    /** Something is lent, no more than was asked, and a socket can send it. */
    record Lent(int asked) implements Promise {
        @Override
        public void check(Object answer) throws BrokenException {
            if (((Optional<?>) answer).orElse(null) instanceof LentPages pages) {
                long lengthBytes = 0;
                for (ByteBuffer buffer : pages.buffers()) {
                    if (!buffer.isDirect()) {
                        throw new BrokenException("lend lent memory on the heap");
                    }
                    lengthBytes += buffer.remaining();
                }
                if (lengthBytes < 1 || lengthBytes > asked) {
                    throw new BrokenException("lend lent " + lengthBytes + " of " + asked + " bytes");
                }
            }
        }
    }

    /** No more is copied than was asked. */
    record Copied(long asked) implements Promise {
        @Override
        public void check(Object answer) throws BrokenException {
            if ((long) answer < 0 || (long) answer > asked) {
                throw new BrokenException("copyTo copied " + answer + " of " + asked + " bytes");
            }
        }
    }
}
