package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Read delegations: when an OPEN grants one, what it permits, and how it survives a restart. */
class DelegationTest {
    private static final int NONE = 0;
    private static final int NONE_EXT = 3;

    private V4Server server = new V4Server();

    @AfterEach
    void close() {
        server.close();
    }

    private FileHandle newFile() {
        return server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
    }

    private static Ops openToWrite() {
        return new Ops().data().open("w", "f", 2, 0);
    }

    private static Ops giveBack(int[] delegation) {
        return new Ops().data().lookup("f").delegReturn(delegation);
    }

    @Test
    void change_byTheHolder_keepsTheDelegation() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        int[] delegation = holder.delegation("f");
        holder.run(new Ops().data().open("o", "f", 2, 0));

        holder.run(new Ops().data().lookup("f").setAttr(Fattr.mode(0600)));

        assertThat(holder.nextCallback()).isNull();
        assertThat(holder.tested(delegation)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void open_afterARecall_grantsNothingForAWhile() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = holder.delegation("f");
        other.statusOf(openToWrite());
        holder.answerRecall(holder.nextCallback(), 0);
        holder.run(giveBack(delegation));

        assertThat(holder.run(new Ops().data().open("p", "f", 1, 0)).afterData().openUpToDelegation())
                .isEqualTo(NONE);

        server.pass(Duration.ofSeconds(31));
        holder.run(new Ops().root());
        holder.delegation("f");
    }

    @Test
    void open_withAWish_hearsWhyNot() {
        newFile();
        V4Client deaf = V4Client.mounted(server, "deaf", 0);
        V4Client client = V4Client.callable(server, "a", 0);

        assertThat(why(deaf, 0x101)).as("read, but nobody to call").containsExactly(2, 0);
        assertThat(why(client, 0x401)).as("none").containsExactly(0);
        assertThat(why(client, 0x501)).as("cancel").containsExactly(7);
        assertThat(why(client, 0x201)).as("write").containsExactly(4);

        client.run(new Ops().data().open("w", "f", 2, 0));
        assertThat(why(client, 0x301)).as("any, but someone writes").containsExactly(1, 0);
        assertThat(client.statusOf(new Ops().data().open("o", "f", 0x601, 0))).isEqualTo(Nfs4Status.INVAL);
    }

    private static int[] why(V4Client client, int access) {
        Reply reply = client.run(new Ops().data().open("o", "f", access, 0));
        assertThat(reply.afterData().openUpToDelegation()).isEqualTo(NONE_EXT);
        return reply.words(reply.remaining() / Integer.BYTES);
    }

    @Test
    void open_ofWhatTheClientHasDelegated_succeedsAlsoWhileItIsRecalled() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        V4Client other = V4Client.mounted(server, "b", 0);
        int[] delegation = holder.delegation("f");
        other.statusOf(openToWrite());
        holder.answerRecall(holder.nextCallback(), 0);

        Reply byName = holder.run(new Ops().data().openDelegated("p", "f", delegation));
        assertThat(byName.afterData().openUpToDelegation()).isEqualTo(NONE);

        holder.run(new Ops().data().lookup("f").openDelegatedFh("q", delegation));
        server.newFile("g", 0666, new byte[1]);
        assertThat(holder.statusOf(new Ops().data().openDelegated("p", "g", delegation)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(other.statusOf(new Ops().data().openDelegated("p", "f", delegation)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void delegation_afterTheCloseOfItsOpen_readsAndDoesNotWrite() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);

        Reply opened = holder.run(new Ops().data().open("o", "f", 1, 0));
        opened.afterData().op(OpCode.OPEN);
        int[] open = opened.stateid();
        opened.words(5);
        opened.word();
        opened.words(opened.word());
        assertThat(opened.word()).isEqualTo(1);
        int[] delegation = opened.stateid();

        holder.run(new Ops().data().lookup("f").close(open));
        Reply read = holder.run(new Ops().data().lookup("f").read(delegation, 0, 100));
        read.afterFile();
        read.op(OpCode.READ);
        assertThat(read.bool()).isTrue();
        assertThat(read.string()).isEqualTo("contents");
        assertThat(holder.statusOf(new Ops().data().lookup("f").write(delegation, 0, 2, "x")))
                .isEqualTo(Nfs4Status.OPENMODE);
        assertThat(holder.statusOf(new Ops().freeStateid(delegation))).isEqualTo(Nfs4Status.LOCKS_HELD);

        V4Client other = V4Client.mounted(server, "b", 0);
        assertThat(other.statusOf(new Ops().data().open("w", "f", 1, 1)))
                .as("to deny reading")
                .isEqualTo(Nfs4Status.DELAY);

        other.run(new Ops().data().open("r", "f", 1, 0));
        assertThat(holder.statusBare(new Ops().destroyClientid(holder.clientId)))
                .isEqualTo(Nfs4Status.CLIENTID_BUSY);
    }

    @Test
    void restart_holderReclaims_andIsToldWhetherToGiveBack(@TempDir Path directory) {
        server.close();
        server = new V4Server(directory);
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        holder.delegation("f");
        server.program().close();
        server.start();
        holder.connection = V4Server.newConnection();
        holder.connect();
        Ops reclaim = new Ops().data().lookup("f").openPreviousDelegated("o");

        Reply without = holder.run(reclaim);
        without.afterFile();
        int[] delegation = without.readDelegation();
        assertThat(without.bool())
                .as("nobody answered CB_NULL yet: give it back")
                .isTrue();

        holder.run(giveBack(delegation));
        holder.answerNull(holder.nextCallback());
        Reply with = holder.run(reclaim);
        with.afterFile();

        with.readDelegation();
        assertThat(with.bool()).isFalse();

        holder.run(new Ops().reclaimComplete());
        assertThat(holder.statusOf(reclaim)).isEqualTo(Nfs4Status.NO_GRACE);
    }

    /**
     * Decision 39. Linux writes no delegation down, so others would wait a lease for nothing whenever a client boots.
     */
    @Test
    void client_thatRestarts_losesItsDelegationsSoThatNobodyWaitsForThem() {
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        holder.delegation("f");
        V4Client other = V4Client.mounted(server, "b", 0);
        V4Client restarted = new V4Client(server, "a", 2, 0);
        restarted.verifier = 99;
        restarted.connect();

        assertThat(other.statusOf(openToWrite())).isEqualTo(Nfs4Status.OK);
        assertThat(restarted.statusOf(new Ops().data().lookup("f").openDelegatedBeforeFh("o")))
                .as("CLAIM_DELEG_PREV_FH")
                .isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(restarted.statusOf(new Ops().data().openDelegatedBefore("o", "f")))
                .as("CLAIM_DELEGATE_PREV")
                .isEqualTo(Nfs4Status.NOTSUPP);
    }

    /** RFC 8881, section 18.51: what it completes are reclaims after a move of a file system, and there are none. */
    @Test
    void reclaimComplete_ofOneFileSystem_needsItAndEndsNoReclaimOfTheOthers(@TempDir Path directory) {
        server.close();
        server = new V4Server(directory);
        newFile();
        V4Client holder = V4Client.callable(server, "a", 0);
        holder.delegation("f");
        server.program().close();
        server.start();
        holder.connection = V4Server.newConnection();
        holder.connect();

        assertThat(holder.statusOf(new Ops().reclaimCompleteOfOne())).isEqualTo(Nfs4Status.NOFILEHANDLE);
        holder.run(new Ops().data().reclaimCompleteOfOne());
        holder.run(new Ops().data().lookup("f").openPreviousDelegated("o"));
        holder.run(new Ops().reclaimComplete());
        assertThat(holder.statusOf(new Ops().data().reclaimCompleteOfOne()))
                .as("of another scope than the one that is complete")
                .isEqualTo(Nfs4Status.OK);
    }
}
