package org.warpnfs.iwarp.qp;

import org.warpnfs.iwarp.verbs.ConnectOptions;
import org.warpnfs.iwarp.verbs.ConnectionRequestHandler;
import org.warpnfs.iwarp.verbs.QueuePairHandler;

/** The role of this end in a connection (RFC 5044, section 7.1). */
sealed interface Role {
    /**
     * The peer opened the connection.
     *
     * @param decider decides on the peer's request and names the handler of the queue pair
     */
    record Responder(ConnectionRequestHandler decider) implements Role {}

    /**
     * We open the connection.
     *
     * @param options what our request offers
     * @param handler the handler of the queue pair
     */
    record Initiator(ConnectOptions options, QueuePairHandler handler) implements Role {}
}
