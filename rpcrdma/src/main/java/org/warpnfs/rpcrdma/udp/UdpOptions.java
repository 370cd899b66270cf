package org.warpnfs.rpcrdma.udp;

/**
 * The limits of a listener for datagrams. The source address of a datagram may be forged, so a reply may go to a host
 * that did not ask for it.
 *
 * @param maxCallBytes the longest call; a longer one is dropped. Default 2 KiB: a path of 1024 bytes and a credential
 *     of 400
 * @param maxCalls the most calls of all clients that wait or run; more are dropped, and their clients repeat them.
 *     Default 128
 * @param maxCallsPerClient the most calls of one client address that wait or run. Default 32
 * @param maxRepliesPerSecond the most replies to one client address in a second; calls beyond are dropped. Default 200:
 *     a hundred mounts each second
 * @param maxAmplification how many times as long as its call a reply may be, in bytes on the network with the headers
 *     of IP and UDP. Default 3, as in RFC 9000, section 8. A longer reply becomes SYSTEM_ERR, and the client has to ask
 *     over TCP
 */
public record UdpOptions(
        int maxCallBytes, int maxCalls, int maxCallsPerClient, int maxRepliesPerSecond, int maxAmplification) {
    /** The default limits. */
    public static final UdpOptions DEFAULT = new UdpOptions(2048, 128, 32, 200, 3);

    /** The headers of IPv4 and UDP. */
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
