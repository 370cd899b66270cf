package org.warpnfs.nfs.v4.state;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One session (RFC 8881 section 2.10) with its slots, made as they are first used. Guarded by its table's lock. */
public final class Session {
    private final SessionId id;
    private final Client client;
    private final ChannelAttributes foreChannel;
    private final @Nullable BackChannel backChannel;
    private final @Nullable Slot[] slots;
    final Set<Object> connections = new HashSet<>();

    Session(SessionId id, Client client, ChannelAttributes foreChannel, @Nullable BackChannel backChannel) {
        this.id = id;
        this.client = client;
        this.foreChannel = foreChannel;
        this.backChannel = backChannel;
        this.slots = new @Nullable Slot[Math.toIntExact(foreChannel.maxRequests())];
    }

    public SessionId id() {
        return id;
    }

    public Client client() {
        return client;
    }

    public ChannelAttributes foreChannel() {
        return foreChannel;
    }

    /** Null if the client offers no flavor, or no room, that callbacks could use. */
    @Nullable
    BackChannel backChannel() {
        return backChannel;
    }

    /** What its reply cache may come to hold. */
    long cacheBytes() {
        return slots.length * foreChannel.maxCachedReplyBytes();
    }

    public int slotCount() {
        return slots.length;
    }

    Slot slot(int index) {
        Slot slot = slots[index];
        if (slot == null) {
            slot = new Slot();
            slots[index] = slot;
        }
        return slot;
    }
}
