package org.warpnfs.iwarp.qp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.ddp.DdpMessage;
import org.warpnfs.iwarp.ddp.TaggedHeader;
import org.warpnfs.iwarp.ddp.UntaggedHeader;
import org.warpnfs.iwarp.rdmap.RdmapOpcode;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.RemoteMemory;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** A work request in the send queue. */
final class SendWork {
    final WorkRequest request;

    /** The result; null while the request is outstanding. It is reported once no earlier request is outstanding. */
    @Nullable
    CompletionStatus outcome;

    /** The previous value that an atomic operation returned. */
    long originalValue;

    /** The message of the request; null before its turn has come, and if it sends nothing. */
    @Nullable
    DdpMessage message;

    SendWork(WorkRequest request) {
        this.request = request;
    }

    boolean isRead() {
        return request instanceof WorkRequest.RdmaRead;
    }

    /** Whether the request is done only when the peer has answered. Until then it counts against the ORD. */
    boolean awaitsAnswer() {
        return switch (request) {
            case WorkRequest.RdmaRead _ -> true;
            case WorkRequest.FetchAdd _ -> true;
            case WorkRequest.CompareSwap _ -> true;
            case WorkRequest.Send _ -> false;
            case WorkRequest.RdmaWrite _ -> false;
            case WorkRequest.FileWrite _ -> false;
            case WorkRequest.ImmediateData _ -> false;
            case WorkRequest.LocalInvalidate _ -> false;
        };
    }

    /** Whether a DDP header of 14 or 18 bytes, returned by the peer, belongs to this request. */
    boolean isNamedBy(ByteBuffer ddpHeader) {
        if (ddpHeader.remaining() == UntaggedHeader.BYTES) {
            UntaggedHeader header = UntaggedHeader.parse(ddpHeader);
            return message instanceof DdpMessage.Untagged own && own.qn() == header.qn() && own.msn() == header.msn();
        }
        if (ddpHeader.remaining() != TaggedHeader.BYTES || message == null) {
            return false;
        }
        TaggedHeader header = TaggedHeader.parse(ddpHeader);
        return switch (request) {
            case WorkRequest.RdmaWrite write -> {
                long lengthBytes = 0;
                for (ByteBuffer piece : write.source()) {
                    lengthBytes += piece.remaining();
                }
                yield writes(header, write.sink(), lengthBytes);
            }
            case WorkRequest.FileWrite write -> writes(header, write.sink(), write.lengthBytes());
            case WorkRequest.Send _, WorkRequest.RdmaRead _, WorkRequest.ImmediateData _ -> false;
            case WorkRequest.FetchAdd _, WorkRequest.CompareSwap _, WorkRequest.LocalInvalidate _ -> false;
        };
    }

    private static boolean writes(TaggedHeader header, RemoteMemory sink, long lengthBytes) {
        long offset = header.taggedOffset() - sink.taggedOffset();
        return RdmapOpcode.RDMA_WRITE.isThatOf(header.rsvdUlp())
                && header.stag() == sink.stag()
                && (offset == 0 || Long.compareUnsigned(offset, lengthBytes) < 0);
    }

    Completion completion(CompletionStatus status) {
        return switch (request) {
            case WorkRequest.Send send -> new Completion.Sent(send.id(), status);
            case WorkRequest.RdmaWrite write -> new Completion.Written(write.id(), status);
            case WorkRequest.FileWrite write -> new Completion.Written(write.id(), status);
            case WorkRequest.RdmaRead read -> new Completion.ReadDone(read.id(), status);
            case WorkRequest.ImmediateData data -> new Completion.ImmediateSent(data.id(), status);
            case WorkRequest.FetchAdd add -> new Completion.AtomicDone(add.id(), status, originalValue);
            case WorkRequest.CompareSwap swap -> new Completion.AtomicDone(swap.id(), status, originalValue);
            case WorkRequest.LocalInvalidate invalidate -> new Completion.Invalidated(invalidate.id(), status);
        };
    }
}
