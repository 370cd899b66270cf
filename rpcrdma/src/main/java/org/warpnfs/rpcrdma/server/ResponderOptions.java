package org.warpnfs.rpcrdma.server;

import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.PrivateData;

/**
 * What a responder gives each of its connections.
 *
 * @param inlineSendBytes the largest message that it sends; the requester may set a smaller limit
 * @param inlineReceiveBytes size of a receive buffer
 * @param credits receive buffers, hence credits, from the first message on; before it there are {@value #FIRST_CREDITS}
 *     at most
 * @param maxCredits what a busy connection may grow to
 * @param ord RDMA Reads to keep outstanding
 * @param clients what the connections of one client, and those of all, hold together
 * @param maxRunning calls of one connection that run at once; complete ones beyond wait
 * @param maxHeldBytes memory that one connection may hold in pulled chunks, and again in replies that run or have not
 *     left: header, XDR and payload
 * @param maxPostedWork work requests that one connection may have outstanding
 * @param maxBackwardCalls calls of ours that one requester may leave unanswered (RFC 8167)
 * @param deadlines how long a requester may leave undone what memory of ours waits for
 * @param remoteInvalidation whether to use Send with Invalidate where the requester offers it
 * @param headerLimits beyond which a call's chunk lists are answered with ERR_CHUNK
 * @param rfc5666 what is done for a requester of RFC 5666 alone
 */
public record ResponderOptions(
        int inlineSendBytes,
        int inlineReceiveBytes,
        int credits,
        int maxCredits,
        int ord,
        ClientLimits clients,
        int maxRunning,
        long maxHeldBytes,
        int maxPostedWork,
        int maxBackwardCalls,
        PeerDeadlines deadlines,
        boolean remoteInvalidation,
        HeaderLimits headerLimits,
        Rfc5666Options rfc5666) {
    /**
     * Receive buffers for calls before the first message: a requester may have one call outstanding then (RFC 8166,
     * section 3.3.3), and those that do not know it few. So who connects and says nothing holds little.
     */
    public static final int FIRST_CREDITS = 8;

    /** What a Linux client expects of a server. */
    public static final ResponderOptions DEFAULT = builder().build();

    public ResponderOptions {
        if (credits < 1 || maxCredits < credits) {
            throw new IllegalArgumentException("credits " + credits + " of at most " + maxCredits);
        }
        if (ord < 1 || maxRunning < 1 || maxPostedWork < 2 || maxBackwardCalls < 0) {
            throw new IllegalArgumentException("a limit of the responder is below what one call needs");
        }
        privateData(inlineSendBytes, inlineReceiveBytes);
    }

    /**
     * Receive buffers that every connection has beside those for calls: for answers to calls of ours, and for
     * RDMA_DONE.
     */
    int receivesBesideCalls() {
        return maxBackwardCalls + rfc5666.doneBuffers();
    }

    /** Receive buffers of a connection that has said nothing yet. */
    public int firstReceives() {
        return receivesBesideCalls() + Math.min(credits, FIRST_CREDITS);
    }

    /**
     * What the responder says while connecting. It exposes nothing in a call of its own, so there is nothing for a peer
     * to invalidate.
     */
    PrivateData privateData() {
        return privateData(inlineSendBytes, inlineReceiveBytes);
    }

    private static PrivateData privateData(int sendBytes, int receiveBytes) {
        return new PrivateData(false, sendBytes, receiveBytes);
    }

    /** What a Linux client expects of a server, to be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** Options under construction; each setter is named after what it sets. */
    public static final class Builder {
        private int inlineSendBytes = 4096;
        private int inlineReceiveBytes = 4096;
        private int credits = 64;
        private int maxCredits = 128;
        private int ord = 16;
        private ClientLimits clients = ClientLimits.DEFAULT;
        private int maxRunning = 64;
        private long maxHeldBytes = 64 << 20;
        private int maxPostedWork = 256;
        private int maxBackwardCalls = 2;
        private PeerDeadlines deadlines = PeerDeadlines.DEFAULT;
        private boolean remoteInvalidation = true;
        private HeaderLimits headerLimits = HeaderLimits.DEFAULT;
        private Rfc5666Options rfc5666 = Rfc5666Options.DEFAULT;

        private Builder() {}

        /** Both, in bytes: {@link #inlineSendBytes} and {@link #inlineReceiveBytes}. */
        public Builder inlineBytes(int send, int receive) {
            inlineSendBytes = send;
            inlineReceiveBytes = receive;
            return this;
        }

        /** Both: {@link #credits} and {@link #maxCredits}. */
        public Builder credits(int initial, int most) {
            credits = initial;
            maxCredits = most;
            return this;
        }

        public Builder ord(int reads) {
            ord = reads;
            return this;
        }

        public Builder clients(ClientLimits limits) {
            clients = limits;
            return this;
        }

        public Builder maxRunning(int most) {
            maxRunning = most;
            return this;
        }

        public Builder maxHeldBytes(long most) {
            maxHeldBytes = most;
            return this;
        }

        public Builder maxPostedWork(int most) {
            maxPostedWork = most;
            return this;
        }

        public Builder maxBackwardCalls(int most) {
            maxBackwardCalls = most;
            return this;
        }

        public Builder deadlines(PeerDeadlines limits) {
            deadlines = limits;
            return this;
        }

        public Builder remoteInvalidation(boolean choice) {
            remoteInvalidation = choice;
            return this;
        }

        public Builder headerLimits(HeaderLimits limits) {
            headerLimits = limits;
            return this;
        }

        public Builder rfc5666(Rfc5666Options options) {
            rfc5666 = options;
            return this;
        }

        /**
         * What was chosen.
         *
         * @throws IllegalArgumentException if a number is out of its range
         */
        public ResponderOptions build() {
            return new ResponderOptions(
                    inlineSendBytes,
                    inlineReceiveBytes,
                    credits,
                    maxCredits,
                    ord,
                    clients,
                    maxRunning,
                    maxHeldBytes,
                    maxPostedWork,
                    maxBackwardCalls,
                    deadlines,
                    remoteInvalidation,
                    headerLimits,
                    rfc5666);
        }
    }
}
