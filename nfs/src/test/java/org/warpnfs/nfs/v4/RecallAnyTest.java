package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** CB_RECALL_ANY: a client near its share of delegations is asked to return those that it does not use. */
class RecallAnyTest {
    private static final int MOST = 64;
    /** An address alone may have half of all. */
    private static final int SHARE = MOST / 2;

    private final V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private static StateLimits few(StateLimits limits) {
        return new StateLimits(
                limits.maxClients(),
                limits.maxSessionsPerClient(),
                limits.maxSessions(),
                limits.maxSlotsPerSession(),
                limits.maxCachedReplyBytes(),
                limits.maxRequestBytes(),
                limits.maxReplyBytes(),
                limits.maxOperations(),
                limits.maxConnectionsPerSession(),
                limits.maxOpensPerClient(),
                limits.maxOpens(),
                limits.maxLockOwnersPerOpen(),
                limits.maxLocksPerClient(),
                limits.maxLocks(),
                limits.maxReplyCacheBytes(),
                MOST,
                limits.courtesyLeases());
    }

    @Test
    void delegations_nearTheShare_areRecalledOnceInAWhile() {
        server.limit(RecallAnyTest::few);
        V4Client client = V4Client.callable(server, "a", 0);
        CallbackSeen recall = null;
        int held = 0;
        int[] first = null;
        while (held < SHARE) {
            server.newFile("f" + held, 0666, new byte[1]);
            int[] delegation = client.delegation("f" + held++);
            first = first == null ? delegation : first;
            CallbackSeen seen = client.nextCallback();
            if (seen != null) {
                assertThat(recall).as("asked once").isNull();
                recall = seen;
                assertThat(seen.operation).isEqualTo(CallbackSeen.CB_RECALL_ANY);
                assertThat(seen.kept).as("half of what it had").isEqualTo((held - 1) / 2);
                assertThat(held).as("near its share").isBetween(SHARE * 3 / 4, SHARE);
                client.answerRecall(seen, 0);
            }
        }
        assertThat(recall).isNotNull();

        server.newFile("g", 0666, new byte[1]);
        assertThat(client.run(new Ops().data().open("o", "g", 1, 0)).afterData().openUpToDelegation())
                .as("its share is full")
                .isZero();
        assertThat(client.nextCallback()).isNull();
        assertThat(client.tested(first)).as("nothing is taken from it").isEqualTo(Nfs4Status.OK);

        server.pass(Duration.ofSeconds(31));
        client.run(new Ops().data().open("p", "g", 1, 0));
        assertThat(client.nextCallback().operation).as("asked again").isEqualTo(CallbackSeen.CB_RECALL_ANY);
    }
}
