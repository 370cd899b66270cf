package org.warpnfs.nfs.nlm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Calls programs of clients, at the ports that their portmappers name. Safe for any thread; no method waits. */
public interface PeerCalls {
    /** For a server that calls no client: every call fails. */
    PeerCalls NONE = new PeerCalls() {
        @Override
        public CompletionStage<ByteBuffer> call(PeerCall call) {
            return CompletableFuture.failedFuture(new IOException("this server does not call its clients"));
        }

        @Override
        public void after(long delayNanos, Runnable task) {}

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    };

    /** Calls once, with a time limit of its own. The stage is completed on any thread with the encoded result. */
    CompletionStage<ByteBuffer> call(PeerCall call);

    /**
     * The same for the answer to a call. Its sender may not be who it says, so answers make no other call wait, nor
     * take its room.
     */
    default CompletionStage<ByteBuffer> answer(PeerCall call) {
        return call(call);
    }

    /** Runs a task that does not block after a delay, unless the server ends before. */
    void after(long delayNanos, Runnable task);

    /** Runs a task that may wait for a disk or a name service, on a thread that nothing else needs. */
    void execute(Runnable task);
}
