package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LEASE;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.recovery.VolatileRecoveryLog;

/** A file of a removed client does not close, because its disk is dead: what others had is freed all the same. */
@Timeout(60)
class StandingCloseTest {
    private final StateTable table =
            new StateTable(StateLimits.forIoOf(1 << 20), LEASE, LEASE, new VolatileRecoveryLog(), _ -> {}, 1);
    private final SessionClients clients = new SessionClients(table, () -> 1);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);

    @AfterEach
    void close() {
        goesOn.countDown();
        table.close();
    }

    private Client opener(String name, NoFile opened) throws Exception {
        Client client = clients.client(clients.connect(name), 2);
        clients.open(new OpenRequest(client, opaque("o"), file(1), OpenRequest.READ, 0, false), opened);
        return client;
    }

    private void evict(Client client) {
        assertThat(table.administration().evict(StateQuery.hex(client.id()))).isNotNull();
    }

    @Test
    void closeStandsStill_whatAnotherRemovedClientHad_isFreed() throws Exception {
        Client dead = opener("dead", new NoFile() {
            @Override
            public void close() {
                closing.countDown();
                boolean done = false;
                while (!done) {
                    try {
                        goesOn.await();
                        done = true;
                    } catch (InterruptedException e) {
                        // As a sync that a disk does not end.
                    }
                }
            }
        });
        Client other = opener("other", new NoFile());
        evict(dead);
        closing.await();

        evict(other);

        for (int i = 0; i < 100 && table.remembered() > 0; i++) {
            Thread.sleep(100);
        }
        assertThat(table.remembered()).isZero();
    }
}
