package org.warpnfs.rpcrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each message type, written by hand from the XDR of RFC 5666, section 4.3: XID 11223344h, 32 credits. */
class GoldenHeaderTest {
    private static final long XID = 0x11223344L;
    private static final String FIXED = "11223344 00000001 00000020 ";

    private static ChunkLists reads(long position, RdmaSegment segment) {
        return new ChunkLists(List.of(new ReadSegment(position, segment)), List.of(), Optional.empty());
    }

    static Stream<Arguments> golden() {
        RdmaSegment one = new RdmaSegment(1, 4096, 0x1000);
        RdmaSegment two = new RdmaSegment(2, 100, 0x9000);
        WriteChunk reply = new WriteChunk(List.of(new RdmaSegment(7, 65_536, 0x2000)));
        return Stream.of(
                Arguments.of(new RdmaMsg(XID, 32, ChunkLists.NONE), 28, FIXED + "00000000 00000000 00000000 00000000"),
                Arguments.of(
                        new RdmaMsg(XID, 32, reads(132, new RdmaSegment(0xcafe0001L, 4096, 0x7f0000001000L))),
                        52,
                        FIXED + "00000000 00000001 00000084 cafe0001 00001000 00007f0000001000 00000000"
                                + "00000000 00000000"),
                Arguments.of(
                        new RdmaMsg(
                                XID,
                                32,
                                new ChunkLists(
                                        List.of(), List.of(new WriteChunk(List.of(one, two))), Optional.empty())),
                        68,
                        FIXED + "00000000 00000000 00000001 00000002 00000001 00001000 0000000000001000"
                                + "00000002 00000064 0000000000009000 00000000 00000000"),
                Arguments.of(
                        new RdmaNomsg(XID, 32, new ChunkLists(List.of(), List.of(), Optional.of(reply))),
                        48,
                        FIXED + "00000001 00000000 00000000 00000001 00000001 00000007 00010000 0000000000002000"),
                Arguments.of(
                        new RdmaNomsg(XID, 32, reads(0, new RdmaSegment(9, 2048, 0x3000))),
                        52,
                        FIXED + "00000001 00000001 00000000 00000009 00000800 0000000000003000 00000000"
                                + "00000000 00000000"),
                Arguments.of(
                        new RdmaMsgp(XID, 32, 4096, 1024, ChunkLists.NONE),
                        36,
                        FIXED + "00000002 00001000 00000400 00000000 00000000 00000000"),
                Arguments.of(new RdmaDone(XID, 32), 16, FIXED + "00000003"),
                Arguments.of(RdmaErrorVers.onlyVersion1(XID, 1, 32), 28, FIXED + "00000004 00000001 00000001 00000001"),
                Arguments.of(RdmaErrorChunk.of(XID, 32), 20, FIXED + "00000004 00000002"));
    }

    @ParameterizedTest
    @MethodSource("golden")
    void message_encodedAndParsed_isItsOctets(RpcRdmaHeader header, int lengthBytes, String words) throws Exception {
        ByteBuffer octets = ByteBuffer.wrap(HexFormat.of().parseHex(words.replace(" ", "")));
        assertThat(header.encodedLengthBytes()).isEqualTo(lengthBytes);
        assertThat(header.encoded()).isEqualTo(octets);
        assertThat(RpcRdmaHeader.parse(octets, HeaderLimits.DEFAULT)).isEqualTo(header);
        assertThat(octets.hasRemaining()).isFalse();
    }
}
