package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/** Which of the two ends of a connection this one is (RFC 5044, section 7.1). */
sealed interface Role {
    /**
     * The peer has opened the connection.
     *
     * @param decider decides on its request, and says who hears of the queue pair
     */
    record Responder(ConnectionRequestHandler decider) implements Role {}

    /**
     * We open it.
     *
     * @param options what our request offers
     * @param handler hears of the queue pair
     */
    record Initiator(ConnectOptions options, QueuePairHandler handler) implements Role {}
}
