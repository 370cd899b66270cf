package org.warpnfs.rpcrdma.server;

import org.warpnfs.rpcrdma.wire.HeaderLimits;
import org.warpnfs.rpcrdma.wire.PrivateData;

/**
 * The options of a responder for each of its connections.
 *
 * @param inlineSendBytes the largest message that the responder sends; the requester may set a smaller limit
 * @param inlineReceiveBytes the size of a receive buffer
 * @param credits the receive buffers for calls, and so the credits, of a connection in use; a connection that is not in
 *     use has {@value #FIRST_CREDITS} at most
 * @param messagesInUse a connection is in use once so many messages have arrived between two checks, which are five
 *     seconds apart
 * @param maxCredits the most credits of a busy connection
 * @param ord the most RDMA Reads to keep outstanding
 * @param clients limits on what the connections of one client, and those of all clients, hold together
 * @param maxRunning the most calls of one connection that run at once; further complete calls wait
 * @param maxHeldBytes the most memory that one connection may hold in pulled chunks, and as much again in replies that
 *     are being made or sent: header, XDR and payload
 * @param maxPostedWork the most work requests that one connection may have outstanding
 * @param maxBackwardCalls the most calls of ours that one requester may leave unanswered (RFC 8167)
 * @param deadlines how long a requester may delay what memory of ours waits for
 * @param remoteInvalidation whether to use Send with Invalidate if the requester permits it
 * @param headerLimits limits on a call's chunk lists; the answer beyond them is ERR_CHUNK
 * @param rfc5666 what is done for a requester of RFC 5666 alone
 */
public record ResponderOptions(
        int inlineSendBytes,
        int inlineReceiveBytes,
        int credits,
        int messagesInUse,
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
     * The number of receive buffers for calls of a connection that is not in use. Before its first message a requester
     * may have one call outstanding (RFC 8166, section 3.3.3), and a requester that does not know this rule sends few.
     * So thousands of connections that send little or nothing hold little.
     */
    public static final int FIRST_CREDITS = 8;

    /** A mount takes about twenty messages, and an idle client of NFSv4 sends one or two a minute. */
    public static final int MESSAGES_IN_USE = 32;

    /** The options that a Linux client expects of a server. */
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
     * The number of receive buffers of every connection that are not for calls: for replies to calls of ours, and for
     * RDMA_DONE.
     */
    int receivesBesideCalls() {
        return maxBackwardCalls + rfc5666.doneBuffers();
    }

    /** The number of receive buffers of a connection that has received nothing yet. */
    public int firstReceives() {
        return receivesBesideCalls() + Math.min(credits, FIRST_CREDITS);
    }

    /**
     * The private data of the responder. It exposes no memory in calls of its own, so a peer has nothing to invalidate.
     */
    PrivateData privateData() {
        return privateData(inlineSendBytes, inlineReceiveBytes);
    }

    private static PrivateData privateData(int sendBytes, int receiveBytes) {
        return new PrivateData(false, sendBytes, receiveBytes);
    }

    /** A builder that starts with the options that a Linux client expects of a server. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds options. Each setter is named after the option that it sets. */
    public static final class Builder {
        private int inlineSendBytes = 4096;
        private int inlineReceiveBytes = 4096;
        private int credits = 64;
        private int messagesInUse = MESSAGES_IN_USE;
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

        /** Sets {@link #inlineSendBytes} and {@link #inlineReceiveBytes}, in bytes. */
        public Builder inlineBytes(int send, int receive) {
            inlineSendBytes = send;
            inlineReceiveBytes = receive;
            return this;
        }

        /** Sets {@link #credits} and {@link #maxCredits}. */
        public Builder credits(int initial, int most) {
            credits = initial;
            maxCredits = most;
            return this;
        }

        public Builder messagesInUse(int messages) {
            messagesInUse = messages;
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
         * The options.
         *
         * @throws IllegalArgumentException if a number is out of its range
         */
        public ResponderOptions build() {
            return new ResponderOptions(
                    inlineSendBytes,
                    inlineReceiveBytes,
                    credits,
                    messagesInUse,
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
