package org.warpnfs.rpcrdma.gss;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SplittableRandom;
import org.ietf.jgss.GSSException;
import org.warpnfs.limits.ClientAddress;

/** Calls, tokens and keytabs of any bytes. Nothing but the errors of this layer may come of them. */
class GssFuzzTest {
    private static final int LEAST_BYTES = 32;
    private static final int FLAVOR_AT = 24;

    /** Bytes that nobody has protected are never opened, and every call ends. */
    @FuzzTest
    void anyBytes_asACall_areDeniedDroppedOrGarbage(byte[] bytes) {
        ByteBuffer message = ByteBuffer.allocate(Math.max(LEAST_BYTES, bytes.length));
        message.put(bytes).clear();
        message.putInt(8, 2).putInt(FLAVOR_AT, GssCredential.FLAVOR);
        GssLayer layer = new GssLayer(
                FakeSecurity.acceptor(),
                new GssOptions(4, Duration.ofHours(1), Duration.ofSeconds(10), Duration.ofSeconds(30), 1000, 1),
                new SplittableRandom(1),
                () -> 0);
        GssCalls.Arrived call = new GssCalls.Arrived(message);

        assertThat(GssLayer.workOf(call.arguments())).isNotEqualTo(GssLayer.Work.NONE);
        assertThat(layer.open(call, ClientAddress.NONE)).isNull();

        assertThat(call.isEnded()).isTrue();
    }

    /** The JDK parses tokens. Whatever it throws has to become a GSSException. */
    @FuzzTest
    void anyBytes_asAToken_areRefused(byte[] token) throws Exception {
        SecurityContext context = KerberosAcceptorTest.acceptor().begin();
        try {
            context.accept(token);
        } catch (GSSException e) {
            assertThat(MajorStatus.of(e)).isNotZero();
        }
    }

    /** What is read of a ticket by this server itself, in the clear and decrypted. */
    @FuzzTest
    void anyBytes_asATicket_areReadOrMalformed(byte[] bytes) throws Exception {
        try {
            ServiceTicket ticket = ServiceTicket.parse(bytes);
            assertThat(ticket.cipher()).hasSizeLessThan(bytes.length);
            byte[] open = TicketKey.decrypt(ticket, new byte[ticket.encryptionType() % 2 == 0 ? 32 : 16]);
            if (open != null) {
                assertThat(open).hasSizeLessThan(ticket.cipher().length);
            }
        } catch (DerReader.Malformed e) {
            assertThat(e).hasMessageMatching(".+");
        }
        try {
            assertThat(ServiceTicket.endTime(bytes).toString()).endsWith("Z");
        } catch (DerReader.Malformed e) {
            assertThat(e).hasMessageMatching(".+");
        }
    }

    @FuzzTest
    void anyBytes_asAKeytab_areReadOrRefused(byte[] file) {
        try {
            assertThat(Keytab.parse(ByteBuffer.wrap(file), Path.of("any")).principals())
                    .allMatch(name -> name.contains("@"));
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("any");
        }
    }
}
