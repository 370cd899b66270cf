package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.Principal;
import org.warpnfs.nfs.v4.state.core.Sender;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** A client restarts, its removal cannot be written, and its record under the name that it had can. */
class ReturnedClientTest {
    private final FakeRecoveryLog log = new FakeRecoveryLog();
    private final RecoveryJournal journal = new RecoveryJournal(log);
    private final ClientRecovery recovery = new ClientRecovery(journal, new Grace(log, journal, 0, 1));

    private static Client client(long id) {
        return new Client(id, Opaque.of(new byte[] {1}), id, new Sender(new Principal(1, 0), ClientAddress.NONE), true);
    }

    private RecoveryJournal.Entry noted(Client client) {
        return recovery.note(client, ClientRecovery.nameOf(client));
    }

    @Test
    void removal_failedBeforeTheClientIsBack_isSettledAfterIt_andTheClientIsForgotten() throws Nfs4Exception {
        Client before = client(1);
        recovery.await(noted(before));
        recovery.recorded(before);
        assertThat(recovery.depart(before)).isTrue();
        log.setFull(true);
        assertThatThrownBy(() -> recovery.await(recovery.departure(before))).isInstanceOf(Nfs4Exception.class);
        log.setFull(false);

        Client back = client(2);
        recovery.await(noted(back));
        recovery.recorded(back);

        assertThat(recovery.settle(10)).containsExactly(before);
        assertThat(before.isForgotten()).isTrue();
    }
}
