package org.warpnfs.tools.iwarp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What our servers add to perftest's protocol: a client may end with an RDMA Read of one byte.
 *
 * <p>A Write or a Send counts as done when TCP has it, which says nothing of its arrival. A Read is answered after all
 * that was sent before it has arrived (RFC 5040, section 5.5), so its answer says that all went well. The offer stands
 * in the private data with which the connection for the load is accepted; perftest does not look there.
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
