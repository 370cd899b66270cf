package org.warpnfs.rpcrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.testkit.CapturedSends;

/** Headers that a Linux client and knfsd sent. */
class CapturedHeaderTest {
    private static final String[] CAPTURES = {
        "knfsd-v3", "knfsd-v4.1", "knfsd-v4.2", "sizes-v3", "sizes-v4.1", "recall-v4.1"
    };

    private static List<ByteBuffer> messages(String capture) {
        List<ByteBuffer> all = new ArrayList<>();
        for (CapturedSends.Connection connection : CapturedSends.load(capture)) {
            all.addAll(connection.calls().sends());
            all.addAll(connection.replies().sends());
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"knfsd-v3", "knfsd-v4.1", "knfsd-v4.2", "sizes-v3", "sizes-v4.1", "recall-v4.1"})
    void captured_parsedAndEncoded_isTheSame(String capture) throws RpcRdmaViolation {
        List<ByteBuffer> messages = messages(capture);
        assertThat(messages).hasSizeGreaterThan(10);
        for (ByteBuffer message : messages) {
            ByteBuffer in = message.duplicate();
            RpcRdmaHeader header = RpcRdmaHeader.parse(in, HeaderLimits.DEFAULT);
            assertThat(header.encoded()).isEqualTo(message.slice(0, in.position()));
            assertThat(header.encodedLengthBytes()).isEqualTo(in.position());
            switch (header) {
                case RdmaMsg msg ->
                    assertThat(Integer.toUnsignedLong(in.getInt()))
                            .as("XID of the RPC message")
                            .isEqualTo(msg.xid());
                case RdmaNomsg nomsg -> assertThat(in.hasRemaining()).isFalse();
                case RdmaMsgp _, RdmaDone _, RdmaErrorVers _, RdmaErrorChunk _ ->
                    throw new AssertionError("no such message in the captures: " + header);
            }
        }
    }

    @Test
    void captured_kindsOfChunks_areAllThere() throws RpcRdmaViolation {
        int reads = 0;
        int writes = 0;
        int replies = 0;
        int longReplies = 0;
        for (String capture : CAPTURES) {
            for (ByteBuffer message : messages(capture)) {
                switch (RpcRdmaHeader.parse(message.duplicate(), HeaderLimits.DEFAULT)) {
                    case RdmaMsg msg -> {
                        reads += msg.lists().readList().size();
                        writes += msg.lists().writeList().size();
                        replies += msg.lists().replyChunk().isPresent() ? 1 : 0;
                    }
                    case RdmaNomsg nomsg -> longReplies++;
                    case RdmaMsgp _, RdmaDone _, RdmaErrorVers _, RdmaErrorChunk _ -> throw new AssertionError();
                }
            }
        }
        assertThat(new int[] {reads, writes, replies, longReplies}).doesNotContain(0);
    }

    @Test
    void captured_cutAnywhere_isRefusedWithItsXid() throws RpcRdmaViolation {
        Map<Integer, ByteBuffer> byHeaderLength = new LinkedHashMap<>();
        for (String capture : CAPTURES) {
            for (ByteBuffer message : messages(capture)) {
                ByteBuffer in = message.duplicate();
                RpcRdmaHeader.parse(in, HeaderLimits.DEFAULT);
                byHeaderLength.putIfAbsent(in.position(), message.slice(0, in.position()));
            }
        }
        assertThat(byHeaderLength).hasSizeGreaterThan(3);
        for (ByteBuffer header : byHeaderLength.values()) {
            for (int length = 0; length < header.remaining(); length++) {
                ByteBuffer cut = header.slice(0, length);
                RpcRdmaViolation.Answer answer =
                        length < 16 ? RpcRdmaViolation.Answer.DROP : RpcRdmaViolation.Answer.ERR_CHUNK;
                long xid = length < 16 ? 0 : Integer.toUnsignedLong(header.getInt(0));
                assertThatThrownBy(() -> RpcRdmaHeader.parse(cut, HeaderLimits.DEFAULT))
                        .isInstanceOfSatisfying(RpcRdmaViolation.class, violation -> {
                            assertThat(violation.answer()).isEqualTo(answer);
                            assertThat(violation.xid()).isEqualTo(xid);
                            assertThat(violation.getStackTrace()).isEmpty();
                        });
            }
        }
    }

    @Test
    void captured_privateData_isParsedAndEncodedTheSame() {
        CapturedSends.Connection connection = CapturedSends.load("knfsd-v3").getFirst();
        ByteBuffer client = connection.calls().privateData();
        ByteBuffer server = connection.replies().privateData();
        assertThat(PrivateData.parse(client)).contains(new PrivateData(true, 4096, 4096));
        assertThat(PrivateData.parse(server)).contains(new PrivateData(false, 4096, 4096));
        assertThat(new PrivateData(true, 4096, 4096).encoded()).isEqualTo(client);
        assertThat(new PrivateData(false, 4096, 4096).encoded()).isEqualTo(server);
    }
}
