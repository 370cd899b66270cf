package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.UntaggedBuffer;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;

/** A receive in a receive queue. */
final class PostedReceive extends UntaggedBuffer {
    private final long id;
    private @Nullable ReceiveAccount countedBy;

    PostedReceive(long id, ByteBuffer memory) {
        super(memory);
        if (memory.isReadOnly()) {
            throw new IllegalArgumentException("a message cannot be placed in read-only memory");
        }
        this.id = id;
    }

    long id() {
        return id;
    }

    /** Records the account that the receive counts against. */
    void countBy(ReceiveAccount account) {
        countedBy = account;
    }

    /** Removes the receive from its account, because it is no longer posted. */
    void uncount() {
        ReceiveAccount account = countedBy;
        if (account != null) {
            account.give(this);
            countedBy = null;
        }
    }

    Completion filled(int messageBytes, boolean solicited, OptionalLong invalidatedStag) {
        ByteBuffer memory = memory();
        memory.limit(memory.position() + messageBytes);
        return new Completion.Received(id, CompletionStatus.SUCCESS, memory, solicited, invalidatedStag);
    }

    Completion filledImmediate(long data, boolean solicited) {
        ByteBuffer memory = memory();
        memory.limit(memory.position() + Long.BYTES);
        return new Completion.ReceivedImmediate(id, CompletionStatus.SUCCESS, data, memory, solicited);
    }

    Completion failed(CompletionStatus status) {
        return new Completion.Received(id, status, memory(), false, OptionalLong.empty());
    }
}
