package org.warpnfs.nfs.v4.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.state.SmallState.LIMITS;
import static org.warpnfs.nfs.v4.state.SmallState.NO_WISH;
import static org.warpnfs.nfs.v4.state.SmallState.ROOT;
import static org.warpnfs.nfs.v4.state.SmallState.file;
import static org.warpnfs.nfs.v4.state.SmallState.opaque;
import static org.warpnfs.nfs.v4.state.SmallState.statusOf;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.client.GivenClientid;
import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.state.file.OpenRequest;
import org.warpnfs.nfs.v4.state.file.OwnerReply;
import org.warpnfs.nfs.v4.state.file.OwnerTurn;
import org.warpnfs.nfs.v4.state.file.SharedFile;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;
import org.warpnfs.nfs.v4.xdr.Stateid;
import org.warpnfs.testkit.Seeds;

/** Owners of NFSv4.0 alone: their order, their repetitions, their number. */
class OwnerStatesTest {

    private long now = Long.MAX_VALUE - 5; // a monotonic clock may wrap
    private final StateTable table = SmallState.table(LIMITS, _ -> {}, now);

    private static OwnerReply reply(OpCode code, Nfs4Status status, int mark) {
        return new OwnerReply(code, status, opaque("reply " + mark), null);
    }

    private Client client(String name) throws Nfs4Exception {
        GivenClientid given = table.clientids().setClientid(now, opaque(name), 1, ROOT, null);
        return table.clientids().confirm(now, given.id(), given.confirmVerifier(), ROOT);
    }

    private Stateid open(Client client, String owner, int file) throws Nfs4Exception {
        OpenRequest request = new OpenRequest(client, opaque(owner), file(file), 1, 0, false);
        table.opens().prepareOpen(now, request);
        return table.opens()
                .open(now, request, NO_WISH, new SharedFile(new NoFile()), null)
                .stateid();
    }

    /** Opens a file by an owner's first OPEN, with that seqid, and confirms it with the next. */
    private Stateid opened(Client client, String owner, int file, int seqid) throws Nfs4Exception {
        OwnerTurn turn = table.owners().beginOpen(client, opaque(owner), seqid);
        Stateid stateid = open(client, owner, file);
        table.owners().end(now, turn, reply(OpCode.OPEN, Nfs4Status.OK, seqid));
        OwnerTurn confirming = table.owners().begin(stateid, seqid + 1, OpCode.OPEN_CONFIRM);
        Stateid confirmed = table.owners().confirm(client, file(file), stateid);
        table.owners().end(now, confirming, reply(OpCode.OPEN_CONFIRM, Nfs4Status.OK, seqid + 1));
        return confirmed;
    }

    private void close(Client client, int file, Stateid stateid, int seqid) throws Nfs4Exception {
        OwnerTurn turn = table.owners().begin(stateid, seqid, OpCode.CLOSE);
        table.opens().close(client, file(file), stateid);
        table.owners().end(now, turn, reply(OpCode.CLOSE, Nfs4Status.OK, seqid));
    }

    @Test
    void request_whileAnotherOfTheOwnerRuns_isTurnedAwayAndMovesNothing() throws Nfs4Exception {
        Client client = client("c");
        Stateid stateid = opened(client, "o", 1, 1);
        OwnerTurn turn = table.owners().begin(stateid, 3, OpCode.CLOSE);

        assertThat(statusOf(() -> table.owners().begin(stateid, 3, OpCode.CLOSE)))
                .isEqualTo(Nfs4Status.RESOURCE);
        assertThat(statusOf(() -> table.owners().beginOpen(client, opaque("o"), 4)))
                .isEqualTo(Nfs4Status.RESOURCE);

        table.owners().end(now, turn, reply(OpCode.CLOSE, Nfs4Status.BAD_STATEID, 0));
        assertThat(table.owners().begin(stateid, 3, OpCode.CLOSE).repeated()).isNull();
    }

    @Test
    void client_letGoInTheMiddleOfARequest_leavesNothing() throws Nfs4Exception {
        Client client = client("c");
        Stateid stateid = opened(client, "o", 1, 1);
        OwnerTurn turn = table.owners().begin(stateid, 3, OpCode.CLOSE);
        GivenClientid restarted = table.clientids().setClientid(now, opaque("c"), 2, ROOT, null);
        table.clientids().confirm(now, restarted.id(), restarted.confirmVerifier(), ROOT);

        assertThat(statusOf(() -> table.opens().close(client, file(1), stateid)))
                .isEqualTo(Nfs4Status.BAD_STATEID);

        table.owners().end(now, turn, reply(OpCode.CLOSE, Nfs4Status.BAD_STATEID, 0));
        assertThat(statusOf(() -> table.owners().beginOpen(client, opaque("o"), 1)))
                .isEqualTo(Nfs4Status.EXPIRED);
        assertThat(table.counts().openOwners()).isZero();
        assertThat(table.counts().stateids()).isZero();
    }

    @Test
    void owners_beyondTheirNumber_takeThePlaceOfIdleOnesOrAreRefused() throws Nfs4Exception {
        Client one = client("one");
        Client two = client("two");
        for (int i = 1; i <= 3; i++) {
            close(one, i, opened(one, "o" + i, i, 1), 3);
        }

        assertThat(table.counts().openOwners()).isEqualTo(3);

        Stateid held = opened(one, "o4", 4, 1);
        assertThat(table.counts().openOwners()).as("the client's share").isEqualTo(3);
        assertThat(statusOf(() -> table.owners().beginOpen(one, opaque("o2"), 9)))
                .as("one that stayed")
                .isEqualTo(Nfs4Status.BAD_SEQID);

        // The share of all clients is used up: the idle owners of the first client are removed.
        opened(two, "p1", 1, 1);
        opened(two, "p2", 2, 1);
        opened(two, "p3", 3, 1);
        assertThat(table.counts().openOwners()).isEqualTo(4);
        assertThat(statusOf(() -> table.owners().beginOpen(two, opaque("p4"), 1)))
                .as("nobody is idle")
                .isEqualTo(Nfs4Status.RESOURCE);

        close(one, 4, held, 3);
        opened(one, "o5", 5, 1);
        assertThat(table.counts().openOwners()).isEqualTo(4);
    }

    @Test
    void failedFirstOpen_leavesNoOwner() throws Nfs4Exception {
        Client client = client("c");
        OwnerTurn turn = table.owners().beginOpen(client, opaque("o"), 1);

        table.owners().end(now, turn, reply(OpCode.OPEN, Nfs4Status.NOENT, 1));

        assertThat(table.counts().openOwners()).isZero();
    }

    private static final class OwnerModel {
        boolean confirmed;
        int last;

        @Nullable
        OwnerReply reply;

        /** The open, or the one closed last. */
        @Nullable
        Stateid open;

        boolean closed;
        /** True if the CLOSE may still be repeated. */
        boolean closerKnown;
    }

    @Test
    void anyRequests_inAnyOrder_areExecutedOnceEach() {
        Seeds.each(500, seed -> new OwnerStatesTest().play(new Random(seed)));
    }

    /** One client and three owners with a file each: compares the table with the rules of RFC 7530, section 9.1.7. */
    private void play(Random random) throws Nfs4Exception {
        Client client = client("c");
        Map<String, OwnerModel> owners = new HashMap<>();
        for (int step = 0; step < 200; step++) {
            int file = random.nextInt(3);
            String name = "o" + file;
            OwnerModel owner = owners.get(name);
            int seqid = owner == null ? random.nextInt() : owner.last + random.nextInt(3);
            OpCode code = owner == null || owner.open == null || random.nextInt(3) == 0
                    ? OpCode.OPEN
                    : random.nextBoolean() ? OpCode.CLOSE : OpCode.OPEN_CONFIRM;
            boolean anew = code == OpCode.OPEN && (owner == null || !owner.confirmed);
            boolean repeats =
                    !anew && owner != null && owner.reply != null && seqid == owner.last && owner.reply.code() == code;
            Nfs4Status expected = Nfs4Status.OK;
            if (!anew && owner != null) {
                boolean nobodys = owner.closed && (code == OpCode.OPEN_CONFIRM || !owner.closerKnown);
                if (code != OpCode.OPEN && nobodys) {
                    expected = Nfs4Status.BAD_STATEID;
                } else if (code == OpCode.CLOSE && !owner.confirmed) {
                    expected = Nfs4Status.BAD_STATEID;
                } else if (!repeats && seqid != owner.last + 1) {
                    expected = Nfs4Status.BAD_SEQID;
                }
            }
            OwnerTurn turn;
            try {
                turn = code == OpCode.OPEN
                        ? table.owners().beginOpen(client, opaque(name), seqid)
                        : table.owners().begin(stateidOf(owner), seqid, code);
            } catch (Nfs4Exception e) {
                assertThat(e.status()).as("step %d: %s %s", step, name, code).isEqualTo(expected);
                continue;
            }
            assertThat(expected).as("step %d: %s %s", step, name, code).isEqualTo(Nfs4Status.OK);
            assertThat(turn.repeated()).isSameAs(repeats ? owner.reply : null);
            if (repeats) {
                continue;
            }
            if (anew) {
                owner = new OwnerModel();
                owners.put(name, owner);
            }
            owner.closerKnown = false;
            Nfs4Status status = execute(client, name, file, owner, code, random);
            OwnerReply reply = reply(code, status, step);
            table.owners().end(now, turn, reply);
            if (status != Nfs4Status.BAD_STATEID) {
                owner.last = seqid;
                owner.reply = reply;
            }
            if (!owner.confirmed && owner.open == null) {
                owners.remove(name);
            }
            long open = owners.values().stream()
                    .filter(o -> o.open != null && !o.closed)
                    .count();
            assertThat(table.counts().opens()).as("step %d", step).isEqualTo((int) open);
            assertThat(table.counts().openOwners()).as("step %d", step).isEqualTo(owners.size());
        }
    }

    private static Stateid stateidOf(@Nullable OwnerModel owner) {
        if (owner == null || owner.open == null) {
            throw new AssertionError("nothing open");
        }
        return owner.open;
    }

    private Nfs4Status execute(Client client, String name, int file, OwnerModel owner, OpCode code, Random random) {
        return statusOf(() -> {
            switch (code) {
                case OPEN -> {
                    if (random.nextInt(4) == 0) {
                        throw Nfs4Exception.of(Nfs4Status.NOENT);
                    }
                    owner.open = open(client, name, file);
                    owner.closed = false;
                }
                case OPEN_CONFIRM -> {
                    owner.open = table.owners().confirm(client, file(file), stateidOf(owner));
                    owner.confirmed = true;
                }
                case CLOSE -> {
                    table.opens().close(client, file(file), stateidOf(owner));
                    owner.closed = true;
                    owner.closerKnown = true;
                }
                default -> throw new AssertionError(code);
            }
        });
    }
}
