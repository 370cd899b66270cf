package org.warpnfs.iwarp.rdmap;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;

/**
 * Delivers messages in the order in which they began (RFC 5041, section 5.3; RFC 7306, sections 5.4 and 7).
 *
 * <h2>Operation</h2>
 *
 * Order is at risk only if the peer sends segments of one message between those of another. A message that is then
 * complete too early waits here. All other messages are delivered at once.
 *
 * <h2>Buffers</h2>
 *
 * Holds the messages that wait: at most as many as there are posted receives, admitted requests and outstanding Reads.
 *
 * <h2>Errors</h2>
 *
 * A fault found in a message that waited is reported with that message's header.
 */
final class DeliveryOrder {
    private final Deque<Message> messages = new ArrayDeque<>();

    /** The action that delivers a complete message. */
    @FunctionalInterface
    interface Delivery {
        void deliver() throws RdmapViolation;
    }

    /** A message that has begun and has not been delivered. */
    static final class Message {
        private @Nullable Delivery delivery;
        private @Nullable UntaggedBuffer buffer;
        private @Nullable FailedSegment segment;
    }

    /** Whether no message is open or waits. */
    boolean isEmpty() {
        return messages.isEmpty();
    }

    /** Records that a message of several segments has begun. */
    Message open() {
        Message message = new Message();
        messages.add(message);
        return message;
    }

    /**
     * Delivers a complete message, or keeps it until the messages that began before it are complete.
     *
     * @param opened the result of {@link #open}; null for a message of one segment
     * @param buffer the buffer of an untagged message
     * @param segment the last segment of an untagged message
     */
    void complete(
            @Nullable Message opened,
            Delivery delivery,
            @Nullable UntaggedBuffer buffer,
            @Nullable FailedSegment segment)
            throws RdmapViolation {
        if (messages.isEmpty() || (messages.peek() == opened && messages.size() == 1)) {
            messages.clear();
            delivery.deliver();
            return;
        }
        Message message = opened == null ? open() : opened;
        message.delivery = delivery;
        message.buffer = buffer;
        message.segment = segment;
        deliverWaiting();
    }

    /** Records that a message is complete that needs no delivery. */
    void completeQuietly(@Nullable Message opened) throws RdmapViolation {
        if (opened != null) {
            messages.remove(opened);
            deliverWaiting();
        }
    }

    private void deliverWaiting() throws RdmapViolation {
        for (Message oldest = messages.peek(); oldest != null; oldest = messages.peek()) {
            Delivery delivery = oldest.delivery;
            if (delivery == null) {
                return;
            }
            messages.remove();
            try {
                delivery.deliver();
            } catch (RdmapViolation violation) {
                throw violation.in(oldest.segment);
            }
        }
    }

    /**
     * After the stream has ended, removes and returns the next buffer whose message was never delivered; null if none
     * is left.
     */
    @Nullable
    UntaggedBuffer pollWaiting() {
        for (Message oldest = messages.poll(); oldest != null; oldest = messages.poll()) {
            if (oldest.buffer != null) {
                return oldest.buffer;
            }
        }
        return null;
    }
}
