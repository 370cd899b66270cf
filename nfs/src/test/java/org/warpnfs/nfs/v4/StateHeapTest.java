package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.core.StateLimits;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.testkit.LiveHeap;

/**
 * What the budget counts for each record of NFSv4 state is at least what it takes with the longest names, compared with
 * the objects on the heap.
 */
class StateHeapTest {
    private static final int RECORDS = 2_000;
    private static final int NAME_BYTES = 1_024;

    private final V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private static String name(int number) {
        String start = "owner " + number + " ";
        return start + "x".repeat(NAME_BYTES - start.length());
    }

    private static void assertCounted(String what, long counted, long before, long records) {
        long taken = (LiveHeap.bytes() - before) / records;
        assertThat(counted).as("bytes counted for each of %s", what).isBetween(taken, 2 * taken);
    }

    @Test
    void opens_ofTheLongestOwners() {
        V4Client client = V4Client.mounted(server, "c", 0);
        for (int i = 0; i < RECORDS; i++) {
            server.newFile("f" + i, 0666, new byte[0]);
        }
        long before = LiveHeap.bytes();
        for (int i = 0; i < RECORDS; i++) {
            client.open(name(i), "f" + i, 3);
        }
        assertCounted("opens", StateLimits.OPEN_BYTES, before, RECORDS);
    }

    @Test
    void opensWithOwners_andLockStateids_ofNfs40_whoseLastReplyIsALongRefusal() {
        server.limitReplies(1 << 16);
        V40Client client = V40Client.mounted(server, "c");
        V4Client holder = V4Client.mounted(server, "h", 0);
        byte[] handle = server.newFile("f", "data");
        holder.run(new Ops().data().lookup("f").lock(2, false, 0, 1, holder.open("o", "f", 3), name(0)));
        int[][] opens = new int[RECORDS][];
        int[] seqids = new int[RECORDS];
        long before = LiveHeap.bytes();
        for (int i = 0; i < RECORDS; i++) {
            opens[i] = client.opened(name(i), "f", 3).stateid();
            assertThat(client.statusOf(client.lockNew(handle, client.openSeqid++, opens[i], 1, "l" + i, 0, 1)))
                    .isEqualTo(Nfs4Status.DENIED);
            seqids[i] = client.openSeqid;
        }
        assertCounted("opens and owners of NFSv4.0", StateLimits.OPEN_BYTES + StateLimits.OWNER_BYTES, before, RECORDS);

        before = LiveHeap.bytes();
        for (int i = 0; i < RECORDS; i++) {
            Reply locked = client.run(client.lockNew(handle, seqids[i], opens[i], 1, name(i), 10 + 2 * i, 1));
            int[] stateid = V40Client.stateidOf(locked, OpCode.LOCK);
            assertThat(client.statusOf(V40Client.lockMore(handle, stateid, 2, 0, 1)))
                    .isEqualTo(Nfs4Status.DENIED);
            // The owner of the open has a long reply again, which the lock took from it.
            assertThat(client.statusOf(client.lockNew(handle, seqids[i] + 1, opens[i], 1, "m" + i, 0, 1)))
                    .isEqualTo(Nfs4Status.DENIED);
        }
        assertCounted(
                "lock stateids and owners of NFSv4.0",
                StateLimits.LOCK_STATEID_BYTES + StateLimits.OWNER_BYTES + StateLimits.RANGE_BYTES,
                before,
                RECORDS);
    }

    @Test
    void ranges() {
        V4Client client = V4Client.mounted(server, "c", 0);
        server.newFile("f", "data");
        int[] open = client.open("o", "f", 3);
        Reply first = client.run(new Ops().data().lookup("f").lock(2, false, 0, 1, open, "l"));
        first.afterFile().op(OpCode.LOCK);
        int[] stateid = first.stateid();
        stateid[0] = 0;
        long before = LiveHeap.bytes();
        for (int i = 1; i <= RECORDS; i++) {
            client.run(new Ops().data().lookup("f").lockMore(2, 2L * i, 1, stateid));
        }
        assertCounted("ranges", StateLimits.RANGE_BYTES, before, RECORDS);
    }

    @Test
    void clients_andTheirSessions() {
        long before = LiveHeap.bytes();
        for (int i = 0; i < RECORDS; i++) {
            V4Client.identified(server, name(i), 2);
        }
        assertCounted("clients", StateLimits.CLIENT_BYTES, before, RECORDS);

        V4Client[] some = new V4Client[RECORDS / 4];
        for (int i = 0; i < some.length; i++) {
            some[i] = V4Client.identified(server, name(RECORDS + i), 2);
        }
        before = LiveHeap.bytes();
        for (V4Client each : some) {
            each.readSession(each.sendBare(new Ops().createSession(each.clientId, each.createSequence, 65536, 0, 64)));
            each.cacheThis = false;
            for (int slot = 0; slot < 64; slot++) {
                assertThat(each.statusBare(each.sequence(slot, 1, new Ops()))).isEqualTo(Nfs4Status.OK);
            }
        }
        assertCounted("sessions", StateLimits.SESSION_BYTES, before, some.length);
    }

    @Test
    void delegations() {
        V4Client client = V4Client.callable(server, "c", 0);
        for (int i = 0; i < RECORDS; i++) {
            server.newFile("f" + i, 0666, new byte[0]);
        }
        long before = LiveHeap.bytes();
        for (int i = 0; i < RECORDS; i++) {
            client.delegation("f" + i);
        }
        assertCounted("delegations", StateLimits.DELEGATION_BYTES, before, RECORDS);
    }
}
