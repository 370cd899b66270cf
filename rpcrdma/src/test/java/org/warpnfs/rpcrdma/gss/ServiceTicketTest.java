package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tickets of MIT Kerberos, and the examples of the RFCs. */
class ServiceTicketTest {
    private static final HexFormat HEX = HexFormat.of();

    private static byte[] token() throws Exception {
        return HEX.parseHex(
                Files.readString(KerberosAcceptorTest.captured("tok-chain")).strip());
    }

    @Test
    void tokenOfRpcGssd_isParsed_hasTheTicketOfTheService() throws Exception {
        ServiceTicket ticket = ServiceTicket.parse(token());

        assertThat(ticket.encryptionType()).isEqualTo(20);
        assertThat(ticket.keyVersion()).isEqualTo(2);
        assertThat(ticket.cipher()).hasSizeGreaterThan(100);
    }

    @Test
    void token_cutAnywhereOrWithALengthThatLies_isMalformed() throws Exception {
        byte[] whole = token();
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> ServiceTicket.parse(cut))
                    .as("%d bytes", length)
                    .isInstanceOf(DerReader.Malformed.class);
        }
        // The outermost length, and the number of its bytes.
        for (int at = 1; at < 4; at++) {
            byte[] lying = whole.clone();
            lying[at] = (byte) 0xff;
            assertThatThrownBy(() -> ServiceTicket.parse(lying)).isInstanceOf(DerReader.Malformed.class);
        }
    }

    /** As decrypted by tshark from the captures with the keytab. */
    @Test
    void partWithoutAStart_isRead_hasItsEnd() throws Exception {
        assertThat(ServiceTicket.endTime(part("20261123095518Z"))).isEqualTo(Instant.parse("2026-11-23T09:55:18Z"));
    }

    @Test
    void partWhoseEndIsNoTime_isRead_isMalformed() {
        assertThatThrownBy(() -> ServiceTicket.endTime(part("20261323095518Z")))
                .isInstanceOf(DerReader.Malformed.class);
    }

    private static byte[] part(String end) {
        ByteBuffer inside = ByteBuffer.allocate(100);
        for (int number = 0; number <= 5; number++) {
            inside.put((byte) (0xa0 | number)).put((byte) 0);
        }
        inside.put(new byte[] {(byte) 0xa7, (byte) (end.length() + 2), 0x18, (byte) end.length()});
        inside.put(end.getBytes(StandardCharsets.US_ASCII)).flip();
        ByteBuffer part = ByteBuffer.allocate(104).put((byte) 0x63).put((byte) (inside.remaining() + 2));
        part.put((byte) 0x30).put((byte) inside.remaining()).put(inside);
        return Arrays.copyOf(part.array(), part.position());
    }

    /** RFC 3961, appendix A.1. */
    @ParameterizedTest
    @CsvSource({"6b65726265726f73, 6b65726265726f737b9b5b2b93132b93"})
    void value_isFolded_isAsInTheRfc(String value, String folded) {
        assertThat(HEX.formatHex(TicketKey.folded(HEX.parseHex(value)))).isEqualTo(folded);
    }

    /** RFC 8009, appendix A: key usage 2, which is that of tickets. */
    @ParameterizedTest
    @CsvSource({
        "19, 3705d96080c17728a0e800eab6e0d23c, 000102030405,"
                + " 84d7f30754ed987bab0bf3506beb09cfb55402cef7e6877ce99e247e52d16ed4421dfdf8976c",
        "20, 6d404d37faf79f9df0d33568d320669800eb4836472ea8a026d16b7182460c52, 000102030405,"
                + " 4ed7b37c2bcac8f74f23c1cf07e62bc7b75fb3f637b9f559c7f664f69eab7b6092237526ea0d1f61cb20d69d10f2"
    })
    void cipherOfTheRfc_isDecrypted_isItsPlainText(int type, String key, String plain, String cipher) throws Exception {
        ServiceTicket ticket = new ServiceTicket(type, -1, HEX.parseHex(cipher));

        assertThat(TicketKey.decrypt(ticket, HEX.parseHex(key))).isEqualTo(HEX.parseHex(plain));
    }

    @Test
    void ticketOfAnotherTypeOrTooShort_isDecrypted_isNull() throws Exception {
        assertThat(TicketKey.decrypt(new ServiceTicket(23, 1, new byte[100]), new byte[16]))
                .isNull();
        assertThat(TicketKey.decrypt(new ServiceTicket(18, 1, new byte[100]), new byte[16]))
                .isNull();
        assertThat(TicketKey.decrypt(new ServiceTicket(18, 1, new byte[28]), new byte[32]))
                .isNull();
    }
}
