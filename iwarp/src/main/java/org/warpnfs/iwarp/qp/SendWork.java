package org.warpnfs.iwarp.qp;

import org.jspecify.annotations.Nullable;
import org.warpnfs.iwarp.verbs.Completion;
import org.warpnfs.iwarp.verbs.CompletionStatus;
import org.warpnfs.iwarp.verbs.WorkRequest;

/** A work request in the send queue. */
final class SendWork {
    final WorkRequest request;

    /** How it went; null while it is outstanding. Told when nothing posted before it is outstanding either. */
    @Nullable
    CompletionStatus outcome;

    SendWork(WorkRequest request) {
        this.request = request;
    }

    boolean isRead() {
        return request instanceof WorkRequest.RdmaRead;
    }

    Completion completion(CompletionStatus status) {
        return switch (request) {
            case WorkRequest.Send send -> new Completion.Sent(send.id(), status);
            case WorkRequest.RdmaWrite write -> new Completion.Written(write.id(), status);
            case WorkRequest.RdmaRead read -> new Completion.ReadDone(read.id(), status);
        };
    }
}
