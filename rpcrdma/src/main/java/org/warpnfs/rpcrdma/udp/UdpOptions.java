package org.warpnfs.rpcrdma.udp;

/**
 * What a listener for datagrams lets through. The source of a datagram may be forged: what is sent back may hit
 * somebody who asked for nothing.
 *
 * @param maxCallBytes the longest call; a longer one is dropped. Default 2 KiB: a path of 1024 bytes and a credential
 *     of 400
 * @param maxCalls calls that wait or run, of all clients; more are dropped, and their clients send them again. Default
 *     128
 * @param maxCallsPerClient of one client address. Default 32
 * @param maxRepliesPerSecond to one client address; calls beyond are dropped. Default 200: a hundred mounts each second
 * @param maxAmplification how many times as long as its call a reply may be, in bytes on the network with the headers
 *     of IP and UDP. Default 3, as RFC 9000, section 8 has it. What is longer becomes SYSTEM_ERR: whoever wants it asks
 *     over TCP
 */
public record UdpOptions(
        int maxCallBytes, int maxCalls, int maxCallsPerClient, int maxRepliesPerSecond, int maxAmplification) {
    /** Every default. */
    public static final UdpOptions DEFAULT = new UdpOptions(2048, 128, 32, 200, 3);

    /** IPv4 and UDP. */
    private static final int HEADER_BYTES = 28;

    public UdpOptions {
        if (maxCallBytes < 512 || maxCallBytes > 65_000) {
            throw new IllegalArgumentException("a datagram of " + maxCallBytes + " bytes");
        }
        if (maxCalls < 1 || maxCallsPerClient < 1 || maxRepliesPerSecond < 1 || maxAmplification < 1) {
            throw new IllegalArgumentException("a limit of the UDP listener lets nothing through");
        }
    }

    /** The longest reply to a call of this length. */
    int maxReplyBytes(int callBytes) {
        return maxAmplification * (callBytes + HEADER_BYTES) - HEADER_BYTES;
    }
}
