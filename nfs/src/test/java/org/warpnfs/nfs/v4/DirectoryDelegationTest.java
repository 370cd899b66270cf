package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Delegations of directories without notifications: when they are given, and what recalls them. */
class DirectoryDelegationTest {
    private static final int GDD4_OK = 0;
    private static final int GDD4_UNAVAIL = 1;

    private final V4Server server = new V4Server();
    private V4Client holder;
    private V4Client other;

    @BeforeEach
    void begin() {
        server.program().setDelegations(DelegationPolicy.ALL);
        server.newFile("f", 0666, new byte[1]);
        holder = V4Client.callable(server, "a", 0);
        other = V4Client.mounted(server, "b", 0);
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** As a Linux client asks, which wants no notification. */
    private static Ops asked(Ops directory) {
        return directory.op(OpCode.GET_DIR_DELEGATION, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    private int[] delegation() {
        Reply reply = holder.run(asked(new Ops().data())).afterData();
        reply.op(OpCode.GET_DIR_DELEGATION);
        assertThat(reply.word()).isEqualTo(GDD4_OK);
        assertThat(reply.hyper()).as("verifier").isZero();
        int[] stateid = reply.stateid();
        assertThat(reply.words(3)).as("no notifications, no attributes").containsOnly(0);
        reply.end();
        return stateid;
    }

    private static int statusOf(Reply reply) {
        reply.afterData().op(OpCode.GET_DIR_DELEGATION);
        return reply.word();
    }

    static Stream<Named<Ops>> changes() {
        return Stream.of(
                Named.of("create", new Ops().data().openCreate("o", "g", 2, 0)),
                Named.of("make directory", new Ops().data().makeDirectory("d")),
                Named.of("remove", new Ops().data().remove("f")),
                Named.of("rename", new Ops().data().saveFh().rename("f", "g")),
                Named.of("link", new Ops().data().lookup("f").saveFh().data().link("g")),
                Named.of("setattr", new Ops().data().setAttr(Fattr.mode(0755))),
                Named.of(
                        "through another export",
                        new Ops().root().lookup("squash").makeDirectory("d")));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void change_byAnother_waitsForTheReturn(Ops change) {
        int[] delegation = delegation();

        assertThat(other.statusOf(change)).isEqualTo(Nfs4Status.DELAY);
        CallbackSeen recall = holder.nextCallback();
        assertThat(recall.stateid).containsExactly(0, delegation[1], delegation[2], delegation[3]);

        holder.answerRecall(recall, 0);
        holder.run(new Ops().data().delegReturn(delegation));
        assertThat(other.statusOf(change)).isNotEqualTo(Nfs4Status.DELAY);
    }

    @Test
    void look_byAnotherOrChangeByTheHolder_recallsNothing() {
        int[] delegation = delegation();

        other.run(new Ops().data().open("o", "f", 1, 0));
        other.run(new Ops().data().readDir(0, 4000, 4000, 4));
        holder.run(new Ops().data().makeDirectory("d"));

        assertThat(holder.nextCallback()).isNull();
        assertThat(holder.tested(delegation)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void change_ofAnotherProtocol_isTriedLater() throws Exception {
        int[] delegation = delegation();
        FileChanges changes = server.program().fileChanges();

        assertThatThrownBy(() -> changes.beginInDirectory(server.fs.identity(server.fs.root())))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.error()).isEqualTo(FsError.TRY_LATER));

        holder.answerRecall(holder.nextCallback(), 0);
        holder.run(new Ops().data().delegReturn(delegation));
        changes.beginInDirectory(server.fs.identity(server.fs.root())).close();
    }

    @Test
    void ask_whereThereIsNone_isUnavailableOrAnError() {
        assertThat(statusOf(other.run(asked(new Ops().data()))))
                .as("nobody to call")
                .isEqualTo(GDD4_UNAVAIL);
        delegation();
        assertThat(statusOf(holder.run(asked(new Ops().data()))))
                .as("it has it")
                .isEqualTo(GDD4_UNAVAIL);
        assertThat(holder.statusOf(asked(new Ops().data().lookup("f")))).isEqualTo(Nfs4Status.NOTDIR);

        server.program().setDelegations(DelegationPolicy.WRITE);
        assertThat(holder.statusOf(asked(new Ops().data()))).isEqualTo(Nfs4Status.NOTSUPP);
    }

    @Test
    void ask_ofTheDirectoryAboveTheExports_isUnavailable() {
        Reply reply = holder.run(asked(new Ops().root()));
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.GET_DIR_DELEGATION);

        assertThat(reply.word()).isEqualTo(GDD4_UNAVAIL);
    }

    @Test
    void recall_notObeyedForALease_revokes() {
        int[] delegation = delegation();
        assertThat(other.statusOf(new Ops().data().makeDirectory("d"))).isEqualTo(Nfs4Status.DELAY);
        holder.answerRecall(holder.nextCallback(), 0);
        for (int i = 0; i < 3; i++) {
            server.pass(V4Server.LEASE.dividedBy(3).plusMillis(1));
            other.run(new Ops().root());
            holder.run(new Ops().root());
        }

        assertThat(other.statusOf(new Ops().data().makeDirectory("d"))).isEqualTo(Nfs4Status.OK);
        assertThat(holder.tested(delegation)).isEqualTo(Nfs4Status.DELEG_REVOKED);
    }
}
