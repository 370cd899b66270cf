package org.warpnfs.rpcrdma.gss;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The ticket in the first token of a context (RFC 4121, section 4.1; RFC 4120, sections 5.3 and 5.5.1).
 *
 * <pre>
 *   [APPLICATION 0] mechanism, 01 00, AP-REQ [APPLICATION 14]: 0 pvno, 1 msg-type, 2 ap-options,
 *     3 Ticket [APPLICATION 1]: 0 tkt-vno, 1 realm, 2 sname, 3 EncryptedData: 0 etype, 1 kvno (optional), 2 cipher
 *   EncTicketPart [APPLICATION 3]: 0 flags, 1 key, 2 crealm, 3 cname, 4 transited, 5 authtime, 6 starttime (optional),
 *     7 endtime
 * </pre>
 *
 * The JDK verifies the ticket, but does not tell when it ends. So it is read here once more.
 *
 * @param encryptionType of {@code cipher} (RFC 3961, section 8)
 * @param keyVersion of the service's key; -1 if the ticket does not say it
 * @param cipher the encrypted part; must not be changed
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ServiceTicket(int encryptionType, int keyVersion, byte[] cipher) {
    private static final byte[] KERBEROS_5 = HexFormat.of().parseHex("2a864886f712010202");
    private static final short AP_REQ = 0x0100;
    private static final DateTimeFormatter KERBEROS_TIME = DateTimeFormatter.ofPattern("uuuuMMddHHmmss'Z'");

    /** Finds the ticket in a token. */
    static ServiceTicket parse(byte[] token) throws DerReader.Malformed {
        DerReader framed = new DerReader(ByteBuffer.wrap(token)).enter(DerReader.application(0));
        if (!Arrays.equals(framed.bytes(DerReader.OBJECT_IDENTIFIER), KERBEROS_5)) {
            throw new DerReader.Malformed("a token of another mechanism");
        }
        ByteBuffer message = framed.rest();
        if (message.remaining() < Short.BYTES || message.getShort() != AP_REQ) {
            throw new DerReader.Malformed("a token without an AP-REQ");
        }
        DerReader request =
                new DerReader(message).enter(DerReader.application(14)).enter(DerReader.SEQUENCE);
        skip(request, 0, 2);
        DerReader ticket = request.enter(DerReader.context(3))
                .enter(DerReader.application(1))
                .enter(DerReader.SEQUENCE);
        skip(ticket, 0, 2);
        DerReader encrypted = ticket.enter(DerReader.context(3)).enter(DerReader.SEQUENCE);
        int encryptionType = encrypted.enter(DerReader.context(0)).integer();
        int keyVersion = -1;
        if (encrypted.isNext(DerReader.context(1))) {
            keyVersion = encrypted.enter(DerReader.context(1)).integer();
        }
        byte[] cipher = encrypted.enter(DerReader.context(2)).bytes(DerReader.OCTET_STRING);
        return new ServiceTicket(encryptionType, keyVersion, cipher);
    }

    /** The time at which a ticket ends, from its decrypted part. Bytes may follow that are not part of it. */
    static Instant endTime(byte[] open) throws DerReader.Malformed {
        DerReader part = new DerReader(ByteBuffer.wrap(open))
                .enter(DerReader.application(3))
                .enter(DerReader.SEQUENCE);
        skip(part, 0, 5);
        if (part.isNext(DerReader.context(6))) {
            skip(part, 6, 6);
        }
        String text = new String(
                part.enter(DerReader.context(7)).bytes(DerReader.GENERALIZED_TIME), StandardCharsets.US_ASCII);
        try {
            return LocalDateTime.parse(text, KERBEROS_TIME).toInstant(ZoneOffset.UTC);
        } catch (DateTimeParseException _) {
            // Not the text itself, which may have bytes of any kind.
            throw new DerReader.Malformed("an end that is no time");
        }
    }

    private static void skip(DerReader in, int first, int last) throws DerReader.Malformed {
        for (int number = first; number <= last; number++) {
            var _ = in.enter(DerReader.context(number));
        }
    }
}
