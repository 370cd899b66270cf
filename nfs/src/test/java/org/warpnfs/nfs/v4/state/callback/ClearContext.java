package org.warpnfs.nfs.v4.state.callback;

import java.nio.ByteBuffer;

/** A context that protects nothing. */
final class ClearContext implements CallbackContext {
    long remainingNanos = 1;
    private boolean refused;

    @Override
    public String owner() {
        return "host/client@LAB.TEST";
    }

    @Override
    public long remainingNanos() {
        return refused ? 0 : remainingNanos;
    }

    @Override
    public void refused() {
        refused = true;
    }

    @Override
    public boolean isRefused() {
        return refused;
    }

    @Override
    public int nextNumber() {
        return 1;
    }

    @Override
    public byte[] mic(byte[] message) {
        return message;
    }

    @Override
    public void verifyMic(byte[] token, byte[] message) {
        // Nothing is wrong.
    }

    @Override
    public byte[] wrap(byte[] message) {
        return message;
    }

    @Override
    public ByteBuffer unwrap(byte[] token) {
        return ByteBuffer.wrap(token);
    }
}
