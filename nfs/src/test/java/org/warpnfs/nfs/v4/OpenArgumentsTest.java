package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.Timestamp;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** RFC 9754: open_arguments, a delegation in place of an open, and times that a client keeps under a delegation. */
@Timeout(60)
class OpenArgumentsTest {
    private static final int SIZE = 4;
    private static final int TIME_MODIFY = 53;
    private static final int TIME_DELEG_ACCESS = 84;
    private static final int TIME_DELEG_MODIFY = 85;
    private static final int OPEN_ARGUMENTS = 86;
    private static final int TIMESTAMPS = 0x0010_0000;
    private static final int XOR = 0x0020_0000;
    private static final int NO_OPEN_STATEID = 16;
    /** A time of long ago, which the files of these tests get first. */
    private static final long LONG_AGO = 1_000_000_000L;

    private final V4Server server = new V4Server();
    private V4Client holder;
    private FileHandle file;

    @BeforeEach
    void begin() throws FsException {
        file = server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
        TimeChange time = new TimeChange.To(new Timestamp(LONG_AGO, 0));
        server.fs.setAttributes(Caller.ROOT, file, new AttributeChanges(null, null, null, null, time, time));
        holder = V4Client.callable(server, "a", 0);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    /** Skips an OPEN4resok up to the type of the delegation, checks that, and returns the flags. */
    private static int flags(Reply opened, int[] open, int type) {
        opened.afterData().op(OpCode.OPEN);
        System.arraycopy(opened.stateid(), 0, open, 0, 4);
        opened.words(5);
        int flags = opened.word();
        opened.words(opened.word());
        assertThat(opened.word()).as("type of the delegation").isEqualTo(type);
        return flags;
    }

    private long modifiedSeconds() throws FsException {
        return server.fs.attributes(file).modifyTime().seconds();
    }

    @Test
    void openArguments_areTheBitmapsOfWhatOpenUnderstands() {
        Reply reply = holder.run(file().getAttrs(OPEN_ARGUMENTS));
        reply.afterFile();
        reply.getAttrs(OPEN_ARGUMENTS);

        assertThat(reply.bitmap()).as("share_access").containsExactly(0b1110);
        assertThat(reply.bitmap()).as("share_deny").containsExactly(0b1111);
        assertThat(reply.bitmap()).as("wants").containsExactly(1 << 3 | 1 << 4 | 1 << 5 | 1 << 20 | 1 << 21);
        assertThat(reply.bitmap()).as("claims").containsExactly(0b110111);
        assertThat(reply.bitmap()).as("createmode").containsExactly(0b1111);
    }

    @Test
    void open_wantsEither_getsADelegationWithoutAnOpen() {
        int[] open = new int[4];
        Reply opened = holder.run(new Ops().data().open("o", "f", 3 | XOR, 0));

        assertThat(flags(opened, open, 2) & NO_OPEN_STATEID).isNotZero();
        assertThat(open).as("no stateid of an open").containsOnly(0);
        int[] delegation = opened.stateid();
        assertThat(server.program().counts().opens()).isZero();

        holder.run(file().write(delegation, 0, 2, "C"));
        V4Client other = V4Client.mounted(server, "b", 0);
        assertThat(other.statusOf(new Ops().data().open("x", "f", 1, 0))).isEqualTo(Nfs4Status.DELAY);
        holder.answerRecall(holder.nextRecall(), 0);
        holder.run(file().openDelegatedFhToWrite("o", delegation));
        holder.run(file().delegReturn(delegation));
        assertThat(other.statusOf(new Ops().data().open("x", "f", 1, 0))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void open_wantsEitherAndGetsNoDelegation_isAnOpen() {
        V4Client deaf = V4Client.mounted(server, "deaf", 0);
        int[] open = new int[4];

        int flags = flags(deaf.run(new Ops().data().open("o", "f", 3 | XOR, 0)), open, 0);

        assertThat(flags & NO_OPEN_STATEID).isZero();
        deaf.run(file().close(open));
    }

    @Test
    void open_wantsEitherAndDenies_isAnOpenToo() {
        int[] open = new int[4];

        int flags = flags(holder.run(new Ops().data().open("o", "f", 3 | XOR, 2)), open, 2);

        assertThat(flags & NO_OPEN_STATEID)
                .as("the share reservation needs the open")
                .isZero();
        holder.run(file().close(open));
    }

    private int[] delegationWithTimes() {
        int[] open = new int[4];
        Reply opened = holder.run(new Ops().data().open("o", "f", 3 | TIMESTAMPS, 0));
        flags(opened, open, 5);
        return opened.stateid();
    }

    private Ops setTimes(int[] stateid, long accessed, long modified) {
        return file().setAttr(
                        stateid,
                        Fattr.none()
                                .with(
                                        TIME_DELEG_ACCESS,
                                        new CallWriter().hyper(accessed).words(0))
                                .with(
                                        TIME_DELEG_MODIFY,
                                        new CallWriter().hyper(modified).words(0)));
    }

    @Test
    void holder_setsTheTimesAsItReturnsTheDelegation() throws FsException {
        int[] delegation = delegationWithTimes();
        holder.run(file().write(delegation, 0, 2, "C"));
        assertThat(modifiedSeconds()).as("the time of the write").isGreaterThan(LONG_AGO + 100);

        holder.run(setTimes(delegation, LONG_AGO + 5, LONG_AGO + 7).delegReturn(delegation));

        assertThat(modifiedSeconds()).as("the time by the client's clock").isEqualTo(LONG_AGO + 7);
        assertThat(server.fs.attributes(file).accessTime().seconds()).isEqualTo(LONG_AGO + 5);
    }

    @Test
    void holder_setsTimesOfThePastOrFuture_areBounded() throws FsException {
        int[] delegation = delegationWithTimes();

        holder.run(setTimes(delegation, LONG_AGO - 5, LONG_AGO - 7));
        assertThat(modifiedSeconds()).as("older than what it got").isEqualTo(LONG_AGO);

        holder.run(setTimes(delegation, LONG_AGO - 5, 1L << 40));
        assertThat(modifiedSeconds()).as("not later than now").isBetween(LONG_AGO + 1, 1L << 39);
    }

    @Test
    void times_withoutSuchADelegation_cannotBeSet() {
        int[] plain = holder.writeDelegation("f");
        V4Client other = V4Client.mounted(server, "b", 0);

        assertThat(holder.statusOf(setTimes(plain, LONG_AGO + 1, LONG_AGO + 1))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(holder.statusOf(setTimes(Ops.ANONYMOUS, LONG_AGO + 1, LONG_AGO + 1)))
                .isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(other.statusOf(setTimes(plain, LONG_AGO + 1, LONG_AGO + 1))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(holder.statusOf(file().getAttrs(TIME_DELEG_MODIFY))).isEqualTo(Nfs4Status.INVAL);
    }

    @Test
    void getattrByAnother_holderKeepsTheTimes_areItsTimes() throws Exception {
        delegationWithTimes();
        V4Client other = V4Client.mounted(server, "b", 0);
        server.program().setPatience(Duration.ofSeconds(30));
        CompletableFuture<Reply> reply =
                CompletableFuture.supplyAsync(() -> other.send(file().getAttrs(SIZE, TIME_MODIFY)));
        CallbackSeen question = null;
        while (question == null) {
            question = holder.nextCallback();
            Thread.onSpinWait();
        }
        assertThat(question.asked).containsExactly(0x18, 0, 0x300000);
        holder.answerGetAttr(question, -1, 100, LONG_AGO + 1, LONG_AGO + 2);

        Reply answered = reply.get(30, TimeUnit.SECONDS);
        answered.afterFile();
        answered.getAttrs(SIZE, TIME_MODIFY);
        assertThat(answered.hyper()).isEqualTo(100);
        assertThat(answered.hyper()).isEqualTo(LONG_AGO + 2);
    }
}
