package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.common.net.InetAddresses;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.client.ExchangedId;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;

/** Two hosts with one name, each of which seems to be a restart of the other. */
class TwinsTest {
    private static final ClientAddress ONE = ClientAddress.of(InetAddresses.forString("198.51.100.81"));
    private static final ClientAddress OTHER = ClientAddress.of(InetAddresses.forString("198.51.100.82"));

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger log = (Logger) LoggerFactory.getLogger(StateCore.class);
    private final long[] now = {1};
    private final StateTable table = SmallState.table(StateLimits.forIoOf(1 << 20), _ -> {}, now[0]);
    private final SessionClients clients = new SessionClients(table, () -> now[0]);

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        log.detachAppender(lines);
    }

    private void connect(String owner, long verifier, ClientAddress address) throws Nfs4Exception {
        ExchangedId id = clients.exchangeId(owner, verifier, address);
        clients.createSession(id);
    }

    private List<String> said() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void twins_expelEachOther_bothAddressesAreSaidOnceForEach() throws Nfs4Exception {
        for (int round = 0; round < 5; round++) {
            connect("Linux NFSv4.2 localhost", 10 + round, ONE);
            connect("Linux NFSv4.2 localhost", 20 + round, OTHER);
        }
        assertThat(said()).hasSize(2).allSatisfy(line -> assertThat(line)
                .contains("198.51.100.81", "198.51.100.82", "nfs4_unique_id"));
    }

    @Test
    void restart_atItsOwnAddress_saysNothing() throws Nfs4Exception {
        connect("one", 1, ONE);
        connect("one", 2, ONE);
        connect("another", 1, OTHER);
        assertThat(said()).isEmpty();
    }
}
