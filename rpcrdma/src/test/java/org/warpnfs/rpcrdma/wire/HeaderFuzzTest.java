package org.warpnfs.rpcrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;

/** Arbitrary bytes as a header: refused with an answer, or accepted within the limits and encoded to the same bytes. */
class HeaderFuzzTest {
    private static final HeaderLimits LIMITS = new HeaderLimits(5, 3, 4, 1 << 20);

    @FuzzTest
    void anyBytes_asAHeader_areRefusedOrKept(byte[] input) {
        ByteBuffer message = ByteBuffer.wrap(input);
        try {
            RpcRdmaHeader header = RpcRdmaHeader.parse(message, LIMITS);
            assertThat(header.encoded()).isEqualTo(ByteBuffer.wrap(input, 0, message.position()));
            assertThat(header.encodedLengthBytes()).isEqualTo(message.position());
            switch (header) {
                case RdmaMsg msg -> checkLists(msg.lists());
                case RdmaNomsg nomsg -> checkLists(nomsg.lists());
                case RdmaMsgp msgp -> checkLists(msgp.lists());
                case RdmaDone done -> assertThat(message.position()).isEqualTo(16);
                case RdmaErrorVers error -> assertThat(message.position()).isEqualTo(28);
                case RdmaErrorChunk error -> assertThat(message.position()).isEqualTo(20);
            }
        } catch (RpcRdmaViolation violation) {
            checkViolation(input, violation);
        }
    }

    private static void checkLists(ChunkLists lists) {
        assertThat(lists.readList()).hasSizeLessThanOrEqualTo(5);
        long bytes = lists.readList().stream()
                .mapToLong(entry -> entry.segment().lengthBytes())
                .sum();
        assertThat(bytes).isLessThanOrEqualTo(1 << 20);
        assertThat(lists.writeList()).hasSizeLessThanOrEqualTo(3);
        lists.writeList().forEach(chunk -> assertThat(chunk.segments()).hasSizeLessThanOrEqualTo(4));
        lists.replyChunk().ifPresent(chunk -> assertThat(chunk.segments()).hasSizeLessThanOrEqualTo(4));
    }

    private static void checkViolation(byte[] input, RpcRdmaViolation violation) {
        switch (violation.answer()) {
            case DROP -> assertThat(violation.xid()).isZero();
            case ERR_VERS -> {
                ByteBuffer fixed = ByteBuffer.wrap(input);
                assertThat(violation.xid()).isEqualTo(Integer.toUnsignedLong(fixed.getInt(0)));
                assertThat(violation.version())
                        .isEqualTo(Integer.toUnsignedLong(fixed.getInt(4)))
                        .isNotEqualTo(1);
            }
            case ERR_CHUNK ->
                assertThat(violation.xid())
                        .isEqualTo(Integer.toUnsignedLong(ByteBuffer.wrap(input).getInt(0)));
        }
    }

    @FuzzTest
    void anyBytes_asPrivateData_areAbsentOrSizes(byte[] input) {
        PrivateData.parse(ByteBuffer.wrap(input)).ifPresent(data -> {
            assertThat(data.sendBytes()).isBetween(1024, 1 << 18);
            assertThat(PrivateData.parse(data.encoded())).contains(data);
        });
    }
}
