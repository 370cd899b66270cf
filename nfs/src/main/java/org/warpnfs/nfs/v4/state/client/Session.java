package org.warpnfs.nfs.v4.state.client;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.callback.BackChannel;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.SessionId;

/** One session (RFC 8881, section 2.10). Its slots are created when first used. Guarded by the lock of the state. */
public final class Session {
    private final SessionId id;
    private final Client client;
    private final ChannelAttributes foreChannel;
    private final @Nullable BackChannel backChannel;
    private final @Nullable Slot[] slots;
    /** True if the session is no longer in the table. */
    boolean ended;
    /** Number of idle slots, other than the first, that keep a reply. */
    int keptReplies;

    volatile int targetSlots;
    final Set<Object> connections = new HashSet<>();

    Session(SessionId id, Client client, ChannelAttributes foreChannel, @Nullable BackChannel backChannel) {
        this.id = id;
        this.client = client;
        this.foreChannel = foreChannel;
        this.backChannel = backChannel;
        this.targetSlots = Math.toIntExact(foreChannel.maxRequests());
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

    /** The back channel; null if the client offers no credential or no room that callbacks could use. */
    @Nullable
    BackChannel backChannel() {
        return backChannel;
    }

    /** The connections on which its requests come, as far as they are remembered. */
    public Set<Object> connections() {
        return Collections.unmodifiableSet(connections);
    }

    /** The connections that carry its callbacks. */
    public List<Object> backConnections() {
        return backChannel == null ? List.of() : backChannel.paths().connections();
    }

    /** How many slots the client should use: at least one, at most all. sr_target_highest_slotid is one less. */
    public int targetSlotCount() {
        return targetSlots;
    }

    /** The slots from {@code first} on that were ever used. */
    Stream<Slot> slotsFrom(int first) {
        return Arrays.stream(slots, Math.min(first, slots.length), slots.length).filter(Objects::nonNull);
    }

    public int slotCount() {
        return slots.length;
    }

    Slot slot(int index) {
        Slot slot = slots[index];
        if (slot == null) {
            slot = new Slot(this, index);
            slots[index] = slot;
        }
        return slot;
    }
}
