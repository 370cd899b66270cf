package org.warpnfs.nfs.v4;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** CB_NOTIFY_LOCK to clients that wait for a lock (RFC 8881, sections 9.6 and 20.11). */
class NotifyLockTest {
    private static final int WRITE_LT = 2;
    private static final int WRITEW_LT = 4;

    private final V4Server server = new V4Server();
    private final V4Client holder = V4Client.callable(server, "holder", 0);
    private final V4Client first = V4Client.callable(server, "first", 0);
    private final V4Client second = V4Client.callable(server, "second", 0);
    private int[] ofHolder;
    private int[] ofFirst;
    private int[] ofSecond;
    private int[] lock;

    @BeforeEach
    void lockIt() {
        server.program().setDelegations(DelegationPolicy.READ);
        ofHolder = holder.create("f");
        ofFirst = first.open("o", "f", 3);
        ofSecond = second.open("o", "f", 3);
        Reply locked = holder.run(file().lock(WRITE_LT, false, 0, 10, ofHolder, "alice"));
        locked.afterFile().op(OpCode.LOCK);
        lock = locked.stateid();
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    private Nfs4Status ask(V4Client client, int type, int[] open) {
        return client.statusOf(file().lock(type, false, 0, 10, open, "bob"));
    }

    /** The notice comes from a thread of its own. */
    private static CallbackSeen callback(V4Client client) throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            CallbackSeen seen = client.nextCallback();
            if (seen != null) {
                return seen;
            }
            Thread.sleep(10);
        }
        throw new AssertionError("no callback in ten seconds");
    }

    @Test
    void unlock_twoWait_theFirstIsToldAndServedBeforeTheSecond() throws InterruptedException {
        assertThat(ask(first, WRITEW_LT, ofFirst)).isEqualTo(Nfs4Status.DENIED);
        assertThat(ask(second, WRITEW_LT, ofSecond)).isEqualTo(Nfs4Status.DENIED);
        assertThat(first.nextCallback()).isNull();

        holder.run(file().unlock(lock, 0, 10));

        CallbackSeen told = callback(first);
        assertThat(told.operation).isEqualTo(CallbackSeen.CB_NOTIFY_LOCK);
        assertThat(told.lockClientId).isEqualTo(first.clientId);
        assertThat(new String(told.lockOwner, US_ASCII)).isEqualTo("bob");
        assertThat(told.fileHandle).isNotEmpty();
        assertThat(second.nextCallback()).isNull();
        assertThat(ask(second, WRITEW_LT, ofSecond)).as("it is not its turn").isEqualTo(Nfs4Status.DENIED);

        first.answerRecall(told, 0);
        assertThat(ask(first, WRITEW_LT, ofFirst)).isEqualTo(Nfs4Status.OK);
        assertThat(ask(second, WRITEW_LT, ofSecond)).isEqualTo(Nfs4Status.DENIED);
    }

    /** RFC 8881, section 2.10.6.3: until the client uses the slot again, it may not have the reply to its LOCK. */
    @Test
    void notice_thatMayOvertakeTheDenial_namesItsCall() throws InterruptedException {
        ask(first, WRITEW_LT, ofFirst);
        ask(second, WRITEW_LT, ofSecond);
        second.run(new Ops());
        holder.run(file().unlock(lock, 0, 10));

        ByteBuffer id = ByteBuffer.wrap(first.session);
        assertThat(callback(first).referring)
                .containsExactly(id.getInt(), id.getInt(), id.getInt(), id.getInt(), 1, first.seqids[0], 0);
        assertThat(callback(second).referring).as("it has the reply").isEmpty();
    }

    @Test
    void waiters_thatWouldWaitForEachOther_areToldOfTheDeadlock() {
        first.run(file().lock(WRITE_LT, false, 20, 10, ofFirst, "bob"));
        assertThat(first.statusOf(file().lock(WRITEW_LT, false, 0, 1, ofFirst, "bob")))
                .isEqualTo(Nfs4Status.DENIED);

        assertThat(holder.statusOf(file().lock(WRITEW_LT, false, 20, 1, ofHolder, "alice")))
                .isEqualTo(Nfs4Status.DEADLOCK);
        assertThat(holder.statusOf(file().lock(WRITE_LT, false, 20, 1, ofHolder, "alice")))
                .as("it does not wait")
                .isEqualTo(Nfs4Status.DENIED);
        holder.run(file().unlock(lock, 0, 10));
        assertThat(first.statusOf(file().lock(WRITEW_LT, false, 0, 1, ofFirst, "bob")))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void turn_notUsed_passesToTheNext() throws InterruptedException {
        ask(first, WRITEW_LT, ofFirst);
        ask(second, WRITEW_LT, ofSecond);
        holder.run(file().unlock(lock, 0, 10));
        callback(first);

        CallbackSeen told = callback(second);

        assertThat(told.operation).isEqualTo(CallbackSeen.CB_NOTIFY_LOCK);
        assertThat(ask(second, WRITEW_LT, ofSecond)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void lock_doesNotWait_isNotRememberedAndPassesThoseWhoDo() throws InterruptedException {
        ask(first, WRITE_LT, ofFirst);
        ask(second, WRITEW_LT, ofSecond);
        holder.run(file().unlock(lock, 0, 10));

        assertThat(callback(second).operation).isEqualTo(CallbackSeen.CB_NOTIFY_LOCK);
        assertThat(first.nextCallback()).isNull();
        assertThat(ask(first, WRITE_LT, ofFirst)).as("the range is free").isEqualTo(Nfs4Status.OK);
    }

    @Test
    void waiter_gone_isPassedOver() throws InterruptedException {
        ask(first, WRITEW_LT, ofFirst);
        server.pass(Duration.ofDays(2));
        V4Client third = V4Client.callable(server, "third", 0);
        int[] ofThird = third.open("o", "f", 3);
        assertThat(ask(third, WRITEW_LT, ofThird)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void refusedLocks_leaveNoStateBehind() {
        int before = server.program().counts().stateids();
        for (int i = 0; i < 5; i++) {
            assertThat(first.statusOf(file().lock(WRITEW_LT, false, 0, 10, ofFirst, "owner" + i)))
                    .isEqualTo(Nfs4Status.DENIED);
        }
        assertThat(server.program().counts().stateids()).isEqualTo(before);
    }
}
