package org.warpnfs.rpcrdma.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.testkit.Seeds;

class HeaderTest {
    private static final String FIXED = "12345678 00000001 00000080 ";

    private static ByteBuffer hex(String words) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(words.replace(" ", "")));
    }

    private static RpcRdmaHeader parse(String words) throws RpcRdmaViolation {
        return RpcRdmaHeader.parse(hex(words), HeaderLimits.DEFAULT);
    }

    private static void assertRefused(String words, RpcRdmaViolation.Answer answer) {
        assertThatThrownBy(() -> parse(words))
                .isInstanceOfSatisfying(RpcRdmaViolation.class, violation -> assertThat(violation.answer())
                        .isEqualTo(answer));
    }

    /** All structures of RFC 8166, section 4.3 at once, with the widest values. */
    @Test
    void allLists_parsed_giveTheirFields() throws RpcRdmaViolation {
        String words = FIXED + "00000000"
                + " 00000001 000000b4 ffffffff 00100000 ffffffff00001000"
                + " 00000001 000000b4 00000002 00000003 0000000000000000"
                + " 00000000"
                + " 00000001 00000002 0000aa00 00001000 0000000000000001 0000bb00 00000004 8000000000000000"
                + " 00000001 00000000"
                + " 00000000"
                + " 00000001 00000001 0000cc00 ffffffff 0000000000000002";
        RdmaMsg header = (RdmaMsg) parse(words);
        assertThat(header.xid()).isEqualTo(0x12345678L);
        assertThat(header.credits()).isEqualTo(128);
        assertThat(header.lists().readList())
                .containsExactly(
                        new ReadSegment(180, new RdmaSegment(0xffffffffL, 1 << 20, 0xffffffff00001000L)),
                        new ReadSegment(180, new RdmaSegment(2, 3, 0)));
        assertThat(header.lists().writeList()).hasSize(2);
        assertThat(header.lists().writeList().get(0).segments())
                .containsExactly(new RdmaSegment(0xaa00, 4096, 1), new RdmaSegment(0xbb00, 4, Long.MIN_VALUE));
        assertThat(header.lists().writeList().get(0).lengthBytes()).isEqualTo(4100);
        assertThat(header.lists().writeList().get(1).segments()).isEmpty();
        assertThat(header.lists().replyChunk().orElseThrow().lengthBytes()).isEqualTo(0xffffffffL);
        assertThat(header.encoded()).isEqualTo(hex(words));
    }

    @Test
    void otherProcedures_parsedAndEncoded_areTheSame() throws RpcRdmaViolation {
        String[] messages = {
            FIXED + "00000001 00000000 00000000 00000000",
            FIXED + "00000002 00000040 00000400 00000000 00000000 00000000",
            FIXED + "00000003",
            "12345678 00000007 00000080 00000004 00000001 00000001 00000001",
            FIXED + "00000004 00000002",
        };
        Class<?>[] types = {RdmaNomsg.class, RdmaMsgp.class, RdmaDone.class, RdmaErrorVers.class, RdmaErrorChunk.class};
        for (int i = 0; i < messages.length; i++) {
            RpcRdmaHeader header = parse(messages[i]);
            assertThat(header).isInstanceOf(types[i]);
            assertThat(header.encoded()).isEqualTo(hex(messages[i]));
        }
        assertThat(((RdmaErrorVers) parse(messages[3])).version()).isEqualTo(7);
    }

    @Test
    void otherVersion_parsed_isErrVersWithTheWord() {
        assertThatThrownBy(() -> parse("12345678 00000002 00000080 00000000 00000000 00000000 00000000"))
                .isInstanceOfSatisfying(RpcRdmaViolation.class, violation -> {
                    assertThat(violation.answer()).isEqualTo(RpcRdmaViolation.Answer.ERR_VERS);
                    assertThat(violation.xid()).isEqualTo(0x12345678L);
                    assertThat(violation.version()).isEqualTo(2);
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // unknown procedures
                "00000005",
                "ffffffff",
                // a list item that is neither present nor absent
                "00000000 00000002 00000000 00000000",
                "00000000 00000000 ffffffff 00000000",
                "00000000 00000000 00000000 00000002",
                // a position that is not a multiple of four
                "00000000 00000001 00000002 00000001 00000004 0000000000000000 00000000 00000000 00000000",
                // more segments than there are bytes, once as a product that overflows an int
                "00000000 00000000 00000001 00000002 00000001 00000004 0000000000000000 00000000 00000000",
                "00000000 00000000 00000001 10000001 00000001 00000004 0000000000000000 00000000 00000000",
                "00000000 00000000 00000001 ffffffff 00000001 00000004 0000000000000000 00000000 00000000",
                // a Read list of 4 GiB
                "00000000 00000001 00000004 00000001 ffffffff 0000000000000000 00000000 00000000 00000000",
                // RDMA_MSGP without its words
                "00000002 00000000",
            })
    void nonsense_parsed_isErrChunk(String afterFixed) {
        assertRefused(FIXED + afterFixed, RpcRdmaViolation.Answer.ERR_CHUNK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"00000004", "00000004 00000003", "00000004 00000001 00000001"})
    void brokenError_parsed_isDropped(String afterFixed) {
        assertRefused(FIXED + afterFixed, RpcRdmaViolation.Answer.DROP);
    }

    @Test
    void listsAtTheirLimits_parsed_areTakenAndOneMoreIsNot() throws RpcRdmaViolation {
        HeaderLimits limits = new HeaderLimits(2, 2, 2, 100);
        String read = "00000001 00000004 00000001 00000032 0000000000000000 ";
        String segment = "00000001 ffffffff 0000000000000000 ";
        String chunk = "00000001 00000002 " + segment + segment;
        RpcRdmaHeader.parse(
                hex(FIXED + "00000000" + read + read + "00000000" + chunk + chunk + "00000000" + chunk), limits);
        String[] tooMuch = {
            read + read + read + "00000000 00000000 00000000",
            "00000000" + chunk + chunk + chunk + "00000000 00000000",
            "00000000 00000001 00000003" + segment + segment + segment + "00000000 00000000",
            read + "00000001 00000004 00000001 00000033 0000000000000000 00000000 00000000 00000000",
        };
        for (String lists : tooMuch) {
            assertThatThrownBy(() -> RpcRdmaHeader.parse(hex(FIXED + "00000000" + lists), limits))
                    .isInstanceOf(RpcRdmaViolation.class);
        }
    }

    /** Parsing arbitrary bytes ends with a header or a violation, and a header encodes to the bytes it came from. */
    @Test
    void randomBytes_parsed_neverFailOtherwise() {
        Seeds.each(20_000, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            ByteBuffer message = ByteBuffer.allocate(random.nextInt(0, 200));
            while (message.remaining() >= 4) {
                message.putInt(random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(0, 6));
            }
            message.rewind();
            if (message.remaining() >= 8 && random.nextBoolean()) {
                message.putInt(4, 1);
            }
            ByteBuffer in = message.duplicate();
            try {
                RpcRdmaHeader header = RpcRdmaHeader.parse(in, HeaderLimits.DEFAULT);
                assertThat(header.encoded()).isEqualTo(message.slice(0, in.position()));
            } catch (RpcRdmaViolation violation) {
                assertThat(violation.answer()).isNotNull();
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "f6ab0e18010103", "f6ab0e1900010303", "f6ab0e1802010303"})
    void otherPrivateData_parsed_isAbsent(String bytes) {
        assertThat(PrivateData.parse(hex(bytes))).isEmpty();
    }

    @Test
    void privateDataExtremes_parsed_areSizes() {
        assertThat(PrivateData.parse(hex("f6ab0e18 01 fe 00 ff 99"))).contains(new PrivateData(false, 1024, 262_144));
    }
}
