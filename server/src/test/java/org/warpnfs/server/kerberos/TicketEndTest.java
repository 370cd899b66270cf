package org.warpnfs.server.kerberos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import org.ietf.jgss.GSSContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.rpcrdma.gss.KerberosAcceptor;
import org.warpnfs.rpcrdma.gss.SecurityContext;

/** What a context knows of its ticket, for the encryption types of another KDC. */
class TicketEndTest {
    private static final Duration CLOCKS = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"aes128-cts-hmac-sha1-96", "aes256-cts-hmac-sha1-96"})
    void context_ofATicket_lastsAsLongAsItDoesForTheInitiator(String encryptionType) throws Exception {
        try (TestRealm realm = TestRealm.start(directory, encryptionType)) {
            assertRemaining(realm);
        }
    }

    @Test
    void context_withTheTypesOfAnOrdinaryRealm_lastsAsLongAsItsTicket() throws Exception {
        try (TestRealm realm = TestRealm.start(directory)) {
            assertRemaining(realm);
        }
    }

    private static void assertRemaining(TestRealm realm) throws Exception {
        Subject alice = realm.login("alice@" + TestRealm.NAME);
        GSSContext initiator = TestRealm.initiate(alice);
        byte[] token = Subject.callAs(alice, () -> initiator.initSecContext(new byte[0], 0, 0));
        SecurityContext context = KerberosAcceptor.open(realm.serverKeytab(), "*", "nfs", TestRealm.NAME)
                .begin();

        context.accept(token);

        Duration remaining = Objects.requireNonNull(context.remaining());
        assertThat(remaining).isPositive().isCloseTo(endOf(alice), CLOCKS);
    }

    /** Of the ticket for the server, by the initiator's own account. */
    private static Duration endOf(Subject user) {
        return user.getPrivateCredentials(KerberosTicket.class).stream()
                .filter(ticket -> ticket.getServer().getName().startsWith("nfs/"))
                .map(ticket ->
                        Duration.between(Instant.now(), ticket.getEndTime().toInstant()))
                .findFirst()
                .orElseThrow();
    }
}
