package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * CB_RECALL_SLOT to a client that makes the server keep more replies than there is room for (RFC 8881, sections
 * 2.10.6.1 and 20.8).
 */
class SlotRecallTest {
    private static final int SLOTS = 16;
    private static final int NOTSUPP = 10004;

    private final V4Server server = new V4Server();

    @BeforeEach
    void limit() {
        // One address gets half of it: three replies of 4 KiB, and the 8 KiB that one more reserves.
        server.limit(limits -> limits.withReplyCacheBytes(64 << 10));
        server.newFile("f", 0666, new byte[4096]);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private Reply read(V4Client client, int slot) {
        return client.sendBare(client.sequence(
                slot, client.seqids[slot] + 1, new Ops().data().lookup("f").read(Ops.ANONYMOUS, 0, 4096)));
    }

    /** Sends READs from the second slot on, until one finds no room. Returns its slot. */
    private int readUntilDelayed(V4Client client) {
        for (int slot = 1; slot < SLOTS; slot++) {
            Reply reply = read(client, slot);
            if (reply.status() == Nfs4Status.DELAY) {
                return slot;
            }
            assertThat(reply.status()).isEqualTo(Nfs4Status.OK);
            client.seqids[slot]++;
        }
        throw new AssertionError("no slot was delayed");
    }

    private void isReplayed(V4Client client, int slots) {
        for (int slot = 1; slot < slots; slot++) {
            client.seqids[slot]--;
            assertThat(read(client, slot).status()).as("slot %d", slot).isEqualTo(Nfs4Status.OK);
            client.seqids[slot]++;
        }
    }

    @Test
    void room_scarce_clientIsAskedForSlots_andHasRoomAgainWhenItGivesThemBack() {
        V4Client client = V4Client.callable(server, "a", 0);
        int delayed = readUntilDelayed(client);
        isReplayed(client, delayed);
        CallbackSeen asked = client.nextCallback();

        assertThat(asked.operation).isEqualTo(CallbackSeen.CB_RECALL_SLOT);
        assertThat(asked.highestSlot).isBetween(0, SLOTS - 2);
        assertThat(client.nextCallback()).as("once").isNull();

        client.answerRecall(asked, 0);
        client.run(new Ops());
        client.run(new Ops());
        assertThat(read(client, delayed).status()).as("the same request again").isEqualTo(Nfs4Status.OK);
    }

    @Test
    void room_takenByASilentNeighbour_neighbourIsAsked() {
        V4Client silent = V4Client.callable(server, "silent", 0);
        V4Client busy = V4Client.callable(server, "busy", 0);
        readUntilDelayed(silent);
        silent.answerRecall(silent.nextCallback(), 0);

        server.pass(Duration.ofSeconds(11));
        assertThat(read(busy, 1).status()).isEqualTo(Nfs4Status.DELAY);

        silent.answerRecall(silent.nextCallback(), 0);
        silent.run(new Ops());
        silent.run(new Ops());
        assertThat(read(busy, 1).status()).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void client_doesNotShrink_isAskedAgainAfterAWhileAndMeetsTheLimit() {
        V4Client client = V4Client.callable(server, "a", 0);
        int delayed = readUntilDelayed(client);
        client.answerRecall(client.nextCallback(), 0);
        for (int i = 0; i < 3; i++) {
            assertThat(read(client, delayed).status()).isEqualTo(Nfs4Status.DELAY);
            assertThat(client.nextCallback()).as("asked a moment ago").isNull();
        }

        server.pass(Duration.ofSeconds(11));
        assertThat(read(client, delayed).status()).isEqualTo(Nfs4Status.DELAY);
        assertThat(client.nextCallback().operation).isEqualTo(CallbackSeen.CB_RECALL_SLOT);

        isReplayed(client, delayed);
        assertThat(client.statusOf(new Ops().data().lookup("f").read(Ops.ANONYMOUS, 0, 4096)))
                .as("its first slot")
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void client_refuses_isNotAskedAgain() {
        V4Client client = V4Client.callable(server, "a", 0);
        int delayed = readUntilDelayed(client);
        client.answerRecall(client.nextCallback(), NOTSUPP);

        server.pass(Duration.ofSeconds(11));

        assertThat(read(client, delayed).status()).isEqualTo(Nfs4Status.DELAY);
        assertThat(client.nextCallback()).isNull();
    }

    @Test
    void delegation_isRecalledBesideIt() {
        V4Client client = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        client.delegation("f");
        readUntilDelayed(client);
        CallbackSeen slots = client.nextCallback();

        assertThat(other.statusOf(new Ops().data().open("o", "f", 2, 0))).isEqualTo(Nfs4Status.DELAY);

        CallbackSeen recall = client.nextCallback();
        assertThat(recall.operation).isEqualTo(4);
        assertThat(recall.slot).isNotEqualTo(slots.slot);

        client.answerRecall(recall, 0);
        client.answerRecall(slots, 0);
        client.run(new Ops());
        assertThat(client.statusFlags).isZero();
    }
}
