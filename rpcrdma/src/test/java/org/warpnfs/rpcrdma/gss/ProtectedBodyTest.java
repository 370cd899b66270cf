package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.rpcrdma.message.XdrStream;

class ProtectedBodyTest {
    private static final byte[] BODY = {0, 0, 0, 9, 'd', 'a', 't', 'a'};

    private final FakeSecurity security = FakeSecurity.of("alice@TEST");

    /** RFC 8166 allows a requester to send the encrypted body as one chunk, although Linux does not. */
    @Test
    void body_inAReadChunk_isOpened() throws Exception {
        byte[] databody = security.wrap(BODY);
        ByteBuffer inline = ByteBuffer.allocate(4).putInt(databody.length).flip();
        XdrStream call = new XdrStream.Builder(inline)
                .inline(4)
                .chunk(ByteBuffer.wrap(databody))
                .build();

        assertThat(ProtectedBody.open(call, GssService.PRIVACY, 9, security)).isEqualTo(ByteBuffer.wrap(BODY));
    }

    @Test
    void body_whoseChunkHasAnotherLength_isRefused() {
        byte[] databody = security.wrap(BODY);
        ByteBuffer inline = ByteBuffer.allocate(4).putInt(databody.length - 4).flip();
        XdrStream call = new XdrStream.Builder(inline)
                .inline(4)
                .chunk(ByteBuffer.wrap(databody))
                .build();

        assertThatThrownBy(() -> ProtectedBody.open(call, GssService.PRIVACY, 9, security))
                .isInstanceOf(ProtectedBody.Violation.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 20, 9})
    void length_beyondTheMessage_isRefusedBeforeItIsAllocated(int claimed) {
        XdrStream call =
                XdrStream.of(ByteBuffer.allocate(12).putInt(claimed).putLong(1).flip());

        assertThatThrownBy(() -> ProtectedBody.open(call, GssService.INTEGRITY, 9, security))
                .isInstanceOf(ProtectedBody.Violation.class);
    }

    @Test
    void bytes_afterTheBody_areRefused() {
        byte[] databody = security.wrap(BODY);
        ByteBuffer message = ByteBuffer.allocate(64);
        InitResult.putOpaque(message, databody);
        XdrStream call = XdrStream.of(message.putInt(0).flip());

        assertThatThrownBy(() -> ProtectedBody.open(call, GssService.PRIVACY, 9, security))
                .isInstanceOf(ProtectedBody.Violation.class)
                .hasMessageContaining("after the body");
    }
}
