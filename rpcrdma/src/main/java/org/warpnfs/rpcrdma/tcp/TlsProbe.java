package org.warpnfs.rpcrdma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The client's side of {@link TlsStart}: asks a responder for TLS, and begins the handshake when that agrees.
 *
 * <p>The probe names a program only because a call must. It is answered below all programs. For the event loop only.
 */
final class TlsProbe {
    private static final int LAST_FRAGMENT = 0x8000_0000;
    private static final int PROGRAM_NFS = 100_003;
    private static final int VERSION = 4;
    private static final int AUTH_TLS = 7;
    private static final int CALL_BYTES = 40;
    private static final int RPC_VERSION = 2;
    private static final int ACCEPTED = 1;
    private static final byte[] STARTTLS = "STARTTLS".getBytes(StandardCharsets.US_ASCII);
    private static final int ANSWER_BYTES = 32;

    private final Channel channel;
    private final TlsTrust trust;
    private final int xid = ThreadLocalRandom.current().nextInt();
    private boolean begun;

    TlsProbe(Channel channel, TlsTrust trust) {
        this.channel = channel;
        this.trust = trust;
    }

    void send() {
        ByteBuf probe = channel.alloc()
                .directBuffer(Integer.BYTES + CALL_BYTES)
                .writeInt(LAST_FRAGMENT | CALL_BYTES)
                .writeInt(xid)
                .writeInt(0)
                .writeInt(RPC_VERSION)
                .writeInt(PROGRAM_NFS)
                .writeInt(VERSION)
                .writeInt(0)
                .writeInt(AUTH_TLS)
                .writeInt(0)
                .writeLong(0);
        var _ = channel.writeAndFlush(probe);
    }

    boolean begun() {
        return begun;
    }

    /**
     * Takes the answer.
     *
     * @param last whether nothing has come in clear behind it
     * @return false if the responder does not agree
     */
    boolean begin(ByteBuf answer, boolean last) {
        if (!last || answer.readableBytes() != ANSWER_BYTES) {
            return false;
        }
        byte[] verifier = new byte[STARTTLS.length];
        boolean agrees = answer.readInt() == xid
                && answer.readInt() == ACCEPTED
                // MSG_ACCEPTED and AUTH_NONE
                && answer.readLong() == 0
                && answer.readInt() == STARTTLS.length;
        answer.readBytes(verifier);
        if (!agrees || !Arrays.equals(verifier, STARTTLS) || answer.readInt() != 0) {
            return false;
        }
        begun = true;
        channel.pipeline().addFirst(trust.handler(channel, (InetSocketAddress) channel.remoteAddress()));
        return true;
    }
}
