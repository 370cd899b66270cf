package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.util.List;
import org.ietf.jgss.GSSException;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * Arguments or results under protection (RFC 2203, sections 5.3.2.2 and 5.3.2.3).
 *
 * <pre>
 *   integrity  opaque databody&lt;&gt; { uint32 seq_num, arguments or results }, opaque checksum&lt;&gt; of it
 *   privacy    opaque databody&lt;&gt;: the same, encrypted
 * </pre>
 *
 * No part of it is DDP-eligible: the transport must not move bytes out of what their sender has protected.
 */
final class ProtectedBody {
    /** No checksum of a mechanism is longer. */
    private static final int MAX_CHECKSUM_BYTES = 1024;

    private ProtectedBody() {}

    /** The body cannot be decoded, or is not what its sender protected. */
    static final class Violation extends Exception {
        private static final long serialVersionUID = 1L;

        Violation(String detail) {
            super(detail, null, false, false);
        }
    }

    /**
     * Reads a body to the end of the message.
     *
     * @return the number of the call, and then its arguments
     */
    static ByteBuffer open(XdrStream in, GssService service, long sequence, SecurityContext security) throws Violation {
        byte[] databody = opaque(in, Integer.MAX_VALUE);
        ByteBuffer open;
        try {
            if (service == GssService.PRIVACY) {
                open = security.unwrap(databody);
            } else {
                security.verifyMic(opaque(in, MAX_CHECKSUM_BYTES), databody);
                open = ByteBuffer.wrap(databody);
            }
        } catch (GSSException e) {
            throw new Violation("a body of " + databody.length + " bytes: " + e.getMessage());
        }
        if (in.remainingBytes() > 0) {
            throw new Violation(in.remainingBytes() + " bytes after the body");
        }
        if (open.remaining() < Integer.BYTES || open.remaining() % Integer.BYTES != 0) {
            throw new Violation("a body of " + open.remaining() + " bytes");
        }
        long inside = Integer.toUnsignedLong(open.getInt(0));
        if (inside != sequence) {
            throw new Violation("number " + inside + " in the body of call " + sequence);
        }
        return open;
    }

    private static byte[] opaque(XdrStream in, int maxBytes) throws Violation {
        if (in.remainingBytes() < Integer.BYTES) {
            throw new Violation("the message ends before its body");
        }
        int lengthBytes = in.readInt();
        if (lengthBytes < 0
                || lengthBytes > in.remainingBytes()
                || XdrStream.roundUp(lengthBytes) > in.remainingBytes()
                || lengthBytes > maxBytes
                || !in.beginCounted(lengthBytes)
                || XdrStream.roundUp(lengthBytes) > in.remainingBytes()) {
            throw new Violation("an item of " + Integer.toUnsignedString(lengthBytes) + " bytes with "
                    + in.remainingBytes() + " left");
        }
        byte[] bytes = new byte[lengthBytes];
        in.read(bytes, 0, lengthBytes);
        in.skip(XdrStream.roundUp(lengthBytes) - lengthBytes);
        return bytes;
    }

    /**
     * Protects a body. What is copied of it, is copied once.
     *
     * @param head what comes before it, in the clear
     * @param body the pieces of number and results; read to their ends
     * @param bodyBytes the length of all pieces
     */
    static ByteBuffer close(
            ByteBuffer head, List<ByteBuffer> body, int bodyBytes, GssService service, SecurityContext security)
            throws GSSException {
        if (service == GssService.PRIVACY) {
            int databodyAt = head.remaining() + Integer.BYTES;
            ByteBuffer out = security.wrap(body, bodyBytes, databodyAt);
            int databodyBytes = out.limit() - databodyAt;
            out.put(head).putInt(databodyBytes);
            return out.limit(databodyAt + XdrStream.roundUp(databodyBytes)).position(0);
        }
        int bodyAt = head.remaining() + Integer.BYTES;
        ByteBuffer out = ByteBuffer.allocate(
                Math.addExact(bodyAt + Integer.BYTES + MAX_CHECKSUM_BYTES, XdrStream.roundUp(bodyBytes)));
        out.put(head).putInt(bodyBytes);
        body.forEach(out::put);
        out.position(bodyAt + XdrStream.roundUp(bodyBytes));
        byte[] checksum = security.mic(out.array(), bodyAt, bodyBytes);
        if (checksum.length > MAX_CHECKSUM_BYTES) {
            throw new GSSException(GSSException.FAILURE);
        }
        InitResult.putOpaque(out, checksum);
        return out.flip();
    }
}
