package org.warpnfs.iwarp.rdmap;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;

/**
 * Keeps messages from being delivered before those that were begun earlier (RFC 5041, section 5.3; RFC 7306, sections
 * 5.4 and 7).
 *
 * <h2>Operation</h2>
 *
 * Matters only where a peer sends segments of another message between those of one: what is then complete too early
 * waits here. All others are delivered at once.
 *
 * <h2>Buffers</h2>
 *
 * Holds what waits: no more than there are receives posted, requests admitted and Reads outstanding.
 *
 * <h2>Errors</h2>
 *
 * A fault found in a message that waited is reported with that message's header.
 */
final class DeliveryOrder {
    private final Deque<Message> messages = new ArrayDeque<>();

    /** What is to be done for a complete message. */
    @FunctionalInterface
    interface Delivery {
        void deliver() throws RdmapViolation;
    }

    /** A message begun and not delivered. */
    static final class Message {
        private @Nullable Delivery delivery;
        private @Nullable UntaggedBuffer buffer;
        private @Nullable FailedSegment segment;
    }

    /** Whether nothing is open or waits. */
    boolean isEmpty() {
        return messages.isEmpty();
    }

    /** A message has begun that is to have more segments. */
    Message open() {
        Message message = new Message();
        messages.add(message);
        return message;
    }

    /**
     * A message is complete.
     *
     * @param opened what {@link #open} gave; null for a message of one segment
     * @param buffer what it was placed in, if it was untagged
     * @param segment its last segment, if it was untagged
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

    /** A message is complete for which nothing is to be done. */
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

    /** The next buffer whose message waits and will not be delivered any more; null if there is none left. */
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
