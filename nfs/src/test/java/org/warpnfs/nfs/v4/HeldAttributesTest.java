package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.state.file.RecallCounts;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** CB_GETATTR: attributes of a file that a client with a write delegation may have changed in its cache. */
@Timeout(60)
class HeldAttributesTest {
    private static final int CHANGE = 3;
    private static final int SIZE = 4;

    private final AtomicInteger timesSet = new AtomicInteger();
    private final V4Server server = V4Server.through(this::counting);
    private V4Client holder;
    private V4Client other;
    private int[] delegation;
    private long change;

    @BeforeEach
    void delegate() {
        server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
        holder = V4Client.callable(server, "a", 0);
        other = V4Client.mounted(server, "b", 0);
        delegation = holder.writeDelegation("f");
        change = changeOf(holder.run(file().getAttrs(CHANGE, SIZE)));
        server.program().setPatience(Duration.ofSeconds(30));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private FileSystem counting(FileSystem target) {
        return (FileSystem) Proxy.newProxyInstance(
                FileSystem.class.getClassLoader(), new Class<?>[] {FileSystem.class}, (_, called, arguments) -> {
                    if (called.getName().equals("setAttributes")) {
                        timesSet.incrementAndGet();
                    }
                    try {
                        return called.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    private static long changeOf(Reply reply) {
        reply.afterFile();
        reply.getAttrs(CHANGE, SIZE);
        return reply.hyper();
    }

    /** Sends operations as the other client, and answers the CB_GETATTR that they cause. */
    private Reply asked(Ops ops, long answeredChange, long answeredSize) throws Exception {
        CompletableFuture<Reply> reply = CompletableFuture.supplyAsync(() -> other.send(ops));
        CallbackSeen question = null;
        while (question == null) {
            question = holder.nextCallback();
            Thread.onSpinWait();
        }
        assertThat(question.operation).isEqualTo(CallbackSeen.CB_GETATTR);
        assertThat(question.asked).as("change and size").containsExactly(0x18);
        holder.answerGetAttr(question, answeredChange, answeredSize);
        return reply.get(30, TimeUnit.SECONDS);
    }

    @Test
    void getattr_holderHasChangedNothing_isWhatTheServerKnows() throws Exception {
        Reply reply = asked(file().getAttrs(CHANGE, SIZE), change, 8);

        assertThat(changeOf(reply)).isEqualTo(change);
        assertThat(reply.hyper()).isEqualTo(8);
        assertThat(holder.nextCallback()).as("no recall").isNull();
        assertThat(holder.tested(delegation)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void getattr_holderHasWritten_isItsSizeAndANewChangeEachTime() throws Exception {
        Reply first = asked(file().getAttrs(CHANGE, SIZE), change + 1, 100);
        long firstChange = changeOf(first);
        assertThat(firstChange).isNotEqualTo(change);
        assertThat(first.hyper()).isEqualTo(100);

        // The holder may say the same value however often it changes the file.
        long secondChange = changeOf(asked(file().getAttrs(CHANGE, SIZE), change + 1, 100));
        assertThat(secondChange).isNotIn(change, firstChange);

        holder.run(file().write(delegation, 8, 2, new byte[92]));
        holder.run(file().delegReturn(delegation));
        Reply after = other.run(file().getAttrs(CHANGE, SIZE));
        assertThat(changeOf(after)).isNotIn(change, firstChange, secondChange);
        assertThat(after.hyper()).isEqualTo(100);
    }

    @Test
    void getattrs_manyInASecond_ofAFileThatItsHolderChanges_areNewValues_andThenItIsRecalled() throws Exception {
        int most = 16;
        List<Long> told = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            told.add(changeOf(asked(file().getAttrs(CHANGE, SIZE), change + 1, 100)));
        }
        assertThat(told).as("another value each time").isSorted().doesNotHaveDuplicates();
        assertThat(timesSet).hasValue(most);

        assertThat(asked(file().getAttrs(CHANGE, SIZE), change + 1, 100).status())
                .isEqualTo(Nfs4Status.DELAY);

        assertThat(holder.nextCallback().operation).as("CB_RECALL").isEqualTo(4);
        for (int i = most; i < 100; i++) {
            assertThat(other.statusOf(file().getAttrs(CHANGE, SIZE))).isEqualTo(Nfs4Status.DELAY);
        }
        assertThat(timesSet).as("changes of the file's times").hasValue(most);
        holder.run(file().write(delegation, 8, 2, new byte[92]));
        holder.run(file().delegReturn(delegation));
        assertThat(changeOf(other.run(file().getAttrs(CHANGE, SIZE)))).isGreaterThan(told.getLast());
    }

    @Test
    void getattrs_fewInASecond_ofAFileThatItsHolderChanges_recallNothing() throws Exception {
        for (int i = 0; i < 100; i++) {
            server.pass(Duration.ofMillis(100));
            assertThat(asked(file().getAttrs(CHANGE, SIZE), change + 1, 100).status())
                    .isEqualTo(Nfs4Status.OK);
            holder.run(new Ops().root());
        }
        assertThat(holder.nextCallback()).isNull();
    }

    @Test
    void getattr_holderHasSentWhatItWrote_isNoFurtherChange() throws Exception {
        holder.run(file().write(delegation, 8, 2, new byte[2]));
        long written = changeOf(holder.run(file().getAttrs(CHANGE, SIZE)));

        assertThat(changeOf(asked(file().getAttrs(CHANGE, SIZE), change, 10)))
                .as("it still says what it got with the delegation")
                .isEqualTo(written);
        assertThat(changeOf(asked(file().getAttrs(CHANGE, SIZE), written, 10)))
                .as("it says what it got after the write")
                .isEqualTo(written);
    }

    @Test
    void verify_holderHasWritten_comparesWithItsSize() throws Exception {
        assertThat(asked(file().verify(Fattr.size(100)), change + 1, 100).status())
                .isEqualTo(Nfs4Status.OK);
        assertThat(asked(file().verify(Fattr.size(8)), change + 1, 100).status())
                .isEqualTo(Nfs4Status.NOT_SAME);
    }

    @Test
    void getattr_holderAnswersNonsense_recalls() throws Exception {
        assertThat(asked(file().getAttrs(SIZE), change, -1).status()).isEqualTo(Nfs4Status.DELAY);

        assertThat(holder.nextCallback().operation).as("CB_RECALL").isEqualTo(4);
        holder.run(file().delegReturn(delegation));
        assertThat(other.statusOf(file().getAttrs(SIZE))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void getattr_holderDoesNotAnswer_recallsAndRevokes() {
        server.program().setPatience(Duration.ZERO);

        assertThat(other.statusOf(file().getAttrs(SIZE))).isEqualTo(Nfs4Status.DELAY);
        assertThat(holder.nextCallback().operation).isEqualTo(CallbackSeen.CB_GETATTR);
        holder.answerRecall(holder.nextCallback(), 0);
        assertThat(other.statusOf(file().getAttrs(SIZE)))
                .as("nobody is asked twice")
                .isEqualTo(Nfs4Status.DELAY);
        assertThat(holder.nextCallback()).isNull();

        for (int i = 0; i < 3; i++) {
            server.pass(V4Server.LEASE.dividedBy(3).plusMillis(1));
            other.run(new Ops().root());
            holder.run(new Ops().root());
        }
        assertThat(other.statusOf(file().getAttrs(SIZE))).isEqualTo(Nfs4Status.OK);
        assertThat(server.program().counts().recalls()).isEqualTo(new RecallCounts(1, 0, 0, 1));
    }

    @Test
    void getattr_holderReturnsTheDelegationMeanwhile_isWhatItHasSent() throws Exception {
        CompletableFuture<Reply> reply = CompletableFuture.supplyAsync(() -> other.send(file().getAttrs(CHANGE, SIZE)));
        CallbackSeen question = null;
        while (question == null) {
            question = holder.nextCallback();
            Thread.onSpinWait();
        }
        holder.run(file().write(delegation, 8, 2, new byte[2]));
        holder.run(file().delegReturn(delegation));
        holder.answerGetAttr(question, change + 1, 500);

        Reply answered = reply.get(30, TimeUnit.SECONDS);
        changeOf(answered);
        assertThat(answered.hyper()).isEqualTo(10);
    }
}
