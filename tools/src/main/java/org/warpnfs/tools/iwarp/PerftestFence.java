package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * An extension of perftest's protocol by our servers: a client may end with an RDMA Read of one byte.
 *
 * <p>A Write or a Send completes when TCP has it, which does not prove its arrival. A Read is answered after everything
 * that was sent before it has arrived (RFC 5040, section 5.5), so its response proves success. The server offers this
 * in the private data with which it accepts the connection for the load, which perftest does not read.
 */
final class PerftestFence {
    private static final byte[] OFFER = "warpnfs fence".getBytes(StandardCharsets.US_ASCII);

    private PerftestFence() {}

    static ByteBuffer offer() {
        return ByteBuffer.wrap(OFFER);
    }

    static boolean isOffered(ByteBuffer privateData) {
        return privateData.equals(offer());
    }
}
