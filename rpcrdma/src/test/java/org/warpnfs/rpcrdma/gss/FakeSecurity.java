package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.ietf.jgss.GSSException;
import org.jspecify.annotations.Nullable;
import org.warpnfs.rpcrdma.message.XdrStream;

/**
 * A mechanism for tests: a token is a name, a checksum is a CRC over key and message, and encryption flips bits. The
 * token {@code +NAME} asks for another token first; {@code NAME;SECONDS} is of a ticket with that much left.
 */
final class FakeSecurity implements SecurityContext {
    static final byte[] MORE = {'?'};

    private String name = "";
    private boolean established;
    private @Nullable Duration remaining;

    /** The end of both sides for this name: checksums do not depend on the direction. */
    static FakeSecurity of(String name) {
        FakeSecurity security = new FakeSecurity();
        security.name = name;
        security.established = true;
        return security;
    }

    static ContextAcceptor acceptor() {
        return FakeSecurity::new;
    }

    @Override
    public byte[] accept(byte[] token) throws GSSException {
        String text = new String(token, StandardCharsets.US_ASCII);
        if (text.isEmpty()) {
            throw new GSSException(GSSException.DEFECTIVE_TOKEN);
        }
        if (text.startsWith("+")) {
            name = text.substring(1);
            return MORE;
        }
        int left = text.matches("[^;]*;-?\\d{1,6}") ? text.indexOf(';') : -1;
        name = left < 0 ? text : text.substring(0, left);
        remaining = left < 0 ? null : Duration.ofSeconds(Integer.parseInt(text.substring(left + 1)));
        established = true;
        return new byte[0];
    }

    @Override
    public boolean isEstablished() {
        return established;
    }

    @Override
    public String initiator() {
        return name;
    }

    @Override
    public @Nullable Duration remaining() {
        return remaining;
    }

    @Override
    public byte[] mic(byte[] in, int from, int lengthBytes) {
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(StandardCharsets.US_ASCII));
        crc.update(in, from, lengthBytes);
        return ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
    }

    private byte[] checksum(byte[] message) {
        return mic(message, 0, message.length);
    }

    @Override
    public void verifyMic(byte[] token, byte[] message) throws GSSException {
        if (!Arrays.equals(token, checksum(message))) {
            throw new GSSException(GSSException.BAD_MIC);
        }
    }

    @Override
    public ByteBuffer wrap(List<ByteBuffer> message, int lengthBytes, int headroomBytes) {
        ByteBuffer whole = ByteBuffer.allocate(lengthBytes);
        message.forEach(whole::put);
        byte[] token = wrap(whole.array());
        return ByteBuffer.allocate(headroomBytes + XdrStream.roundUp(token.length))
                .put(headroomBytes, token)
                .limit(headroomBytes + token.length);
    }

    byte[] wrap(byte[] message) {
        ByteBuffer out = ByteBuffer.allocate(message.length + Integer.BYTES).put(checksum(message));
        for (byte value : message) {
            out.put((byte) ~value);
        }
        return out.array();
    }

    @Override
    public ByteBuffer unwrap(byte[] token) throws GSSException {
        if (token.length < Integer.BYTES) {
            throw new GSSException(GSSException.DEFECTIVE_TOKEN);
        }
        byte[] message = Arrays.copyOfRange(token, Integer.BYTES, token.length);
        for (int i = 0; i < message.length; i++) {
            message[i] = (byte) ~message[i];
        }
        verifyMic(Arrays.copyOf(token, Integer.BYTES), message);
        return ByteBuffer.wrap(message);
    }

    @Override
    public void dispose() {
        established = false;
    }
}
