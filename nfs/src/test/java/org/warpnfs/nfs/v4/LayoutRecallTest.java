package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.file.LayoutCounts;
import org.warpnfs.nfs.v4.state.listing.StateQuery;
import org.warpnfs.nfs.v4.state.listing.StateRow;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Layouts that are recalled, revoked, or end with their client. */
class LayoutRecallTest extends LayoutBench {
    private static final int NOMATCHING_LAYOUT = 10060;
    private static final int RECALLABLE_STATE_REVOKED = 0x40;

    @Test
    void setAttr_ofTheSizeByAnother_recallsTheLayoutAndWaits() {
        V4Client holder = client("a");
        int[] open = holder.create("f");
        Reply reply = holder.run(file().getFh().layoutGet(RW, open)).afterFile();
        byte[] handle = reply.getFh();
        LayoutSeen layout = LayoutSeen.of(reply, RW);
        V4Client other = client("b");
        Ops cut = file().setAttr(Fattr.size(0));

        assertThat(other.statusOf(cut)).isEqualTo(Nfs4Status.DELAY);
        CallbackSeen recall = holder.nextCallback();
        assertThat(recall.operation).isEqualTo(CallbackSeen.CB_LAYOUTRECALL);
        assertThat(recall.fileHandle).isEqualTo(handle);
        assertThat(recall.stateid)
                .as("one more than the client has seen")
                .containsExactly(2, layout.stateid()[1], layout.stateid()[2], layout.stateid()[3]);
        holder.answerRecall(recall, 0);
        assertThat(holder.statusOf(file().layoutGet(RW, layout.stateid()))).isEqualTo(Nfs4Status.RECALLCONFLICT);

        holder.run(file().layoutReturn(ANY, recall.stateid));
        assertThat(other.statusOf(cut)).isEqualTo(Nfs4Status.OK);
        assertThat(holder.statusOf(file().layoutGet(RW, open)))
                .as("others go first for a while")
                .isEqualTo(Nfs4Status.LAYOUTUNAVAILABLE);
        server.pass(Duration.ofSeconds(31));
        assertThat(holder.statusOf(file().layoutGet(RW, open))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void change_byTheHolder_recallsNothing() {
        V4Client holder = client("a");
        get(holder, RW, holder.create("f"));

        assertThat(holder.statusOf(file().setAttr(Fattr.size(0)))).isEqualTo(Nfs4Status.OK);
        assertThat(holder.nextCallback()).isNull();
    }

    /** A client that does not heed referring calls says once that it lacks a layout that is on its way. */
    @Test
    void recall_ofALayoutThatIsOnItsWay_isRepeatedBeforeItIsOver() {
        V4Client holder = client("a");
        get(holder, RW, holder.create("f"));
        V4Client other = client("b");
        Ops remove = new Ops().data().remove("f");
        other.statusOf(remove);
        CallbackSeen recall = holder.nextCallback();
        assertThat(recall.referring).endsWith(1, holder.seqids[0], 0);

        holder.answerRecall(recall, NOMATCHING_LAYOUT);
        assertThat(other.statusOf(remove)).isEqualTo(Nfs4Status.DELAY);

        server.pass(Duration.ofSeconds(1));
        other.statusOf(remove);
        holder.answerRecall(holder.nextCallback(), NOMATCHING_LAYOUT);
        assertThat(other.statusOf(remove)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void recall_ofALayoutThatTheClientLacks_isOver() {
        V4Client holder = client("a");
        get(holder, RW, holder.create("f"));
        holder.run(new Ops());
        V4Client other = client("b");
        Ops remove = new Ops().data().remove("f");
        assertThat(other.statusOf(remove)).isEqualTo(Nfs4Status.DELAY);

        holder.answerRecall(holder.nextCallback(), NOMATCHING_LAYOUT);

        assertThat(other.statusOf(remove)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void recall_thatIsNotHeeded_revokesTheLayout() {
        V4Client holder = client("a");
        int[] open = holder.create("f");
        LayoutSeen layout = get(holder, RW, open);
        V4Client other = client("b");
        revoke(holder, other);

        assertThat(other.statusOf(file().setAttr(Fattr.size(0)))).isEqualTo(Nfs4Status.OK);
        assertThat(holder.tested(layout.stateid())).isEqualTo(Nfs4Status.DELEG_REVOKED);
        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isNotZero();
        assertThat(holder.statusOf(new Ops().freeStateid(layout.stateid()))).isEqualTo(Nfs4Status.OK);
        holder.run(new Ops().root());
        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isZero();
        assertThat(server.program().layoutCounts()).isEqualTo(new LayoutCounts(0, 1, 1, 1));
    }

    /** Linux drops its layouts when it sees the flag, and never frees their stateids. */
    @Test
    void revokedLayout_whoseClientWasToldForALease_isForgottenThoughTheFileStaysOpen() {
        V4Client holder = client("a");
        LayoutSeen layout = get(holder, RW, holder.create("f"));
        V4Client other = client("b");
        revoke(holder, other);
        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isNotZero();
        for (int i = 0; i < 3; i++) {
            assertThat(holder.tested(layout.stateid())).isEqualTo(Nfs4Status.DELEG_REVOKED);
            assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isNotZero();
            server.pass(V4Server.LEASE.dividedBy(3).plusSeconds(1));
            other.run(new Ops().root());
        }

        holder.run(new Ops().root());
        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isZero();
        assertThat(holder.tested(layout.stateid())).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().layoutCounts().held()).isZero();
    }

    @Test
    void layoutReturn_ofAll_endsRevokedLayoutsToo() {
        V4Client holder = client("a");
        get(holder, RW, holder.create("f"));
        revoke(holder, client("b"));

        holder.run(new Ops().op(OpCode.LAYOUTRETURN, 0, 4, ANY, 3));
        holder.run(new Ops().root());

        assertThat(holder.statusFlags & RECALLABLE_STATE_REVOKED).isZero();
    }

    @Test
    void layouts_areListedWithWhatTheyAreForAndWhereTheyStand() {
        V4Client holder = client("a");
        int[] open = holder.create("f");
        get(holder, RW, get(holder, READ, open).stateid());

        StateRow.LayoutRow row = onlyLayout();
        assertThat(row.client()).isEqualTo(StateQuery.hex(holder.clientId));
        assertThat(List.of(row.iomode(), row.phase())).containsExactly("both", "held");

        client("b").statusOf(file().setAttr(Fattr.size(0)));
        assertThat(onlyLayout().phase()).isEqualTo("recalled");
    }

    private StateRow.LayoutRow onlyLayout() {
        List<StateRow.LayoutRow> rows =
                server.program().administration().layouts(StateQuery.first(10)).rows();
        assertThat(rows).hasSize(1);
        return rows.getFirst();
    }

    @Test
    void layouts_ofAClientWhoseLeaseHasRunOut_endWithIt() {
        V4Client holder = client("a");
        get(holder, RW, holder.create("f"));
        V4Client other = client("b");
        server.pass(V4Server.LEASE.plusSeconds(1));
        other.connect();
        other.run(new Ops().reclaimComplete());

        assertThat(other.statusOf(file().setAttr(Fattr.size(0)))).isEqualTo(Nfs4Status.OK);
    }
}
