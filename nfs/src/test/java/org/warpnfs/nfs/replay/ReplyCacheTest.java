package org.warpnfs.nfs.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.export.Identity;
import org.warpnfs.nfs.replay.RememberedCall.Outcome;

/** The reply cache alone: time is a number, and replies are a few bytes. */
class ReplyCacheTest {
    private static final int REPLY_BYTES = 744;
    /** Includes what an entry takes besides its reply. */
    private static final int ENTRY_BYTES = 1000;

    private long now = Long.MAX_VALUE - 5; // a monotonic clock may wrap
    private final ReplyCache cache = new ReplyCache(100 * ENTRY_BYTES, () -> now);

    private static final Identity CALLER = new Identity.SystemUser(1, 2, List.of(3L));

    /** Records what is done with one call. */
    private static final class Call implements RememberedCall {
        private final Supplier<Outcome> work;
        private final List<Object> answers = new ArrayList<>();
        private int performed;

        Call(Supplier<Outcome> work) {
            this.work = work;
        }

        /** A call that changes nothing and has an answer of its own. */
        static Call reading() {
            Call[] call = new Call[1];
            call[0] = new Call(() -> new Outcome.Own(() -> call[0].answers.add("own")));
            return call[0];
        }

        @Override
        public void perform(Consumer<@Nullable Outcome> ended) {
            performed++;
            ended.accept(work.get());
        }

        @Override
        public void answer(EncodedReply reply) {
            answers.add(reply);
        }

        @Override
        public void putOff() {
            answers.add("later");
        }

        @Override
        public void fail() {
            answers.add("failed");
        }
    }

    private static final class Bytes implements XdrAble {
        private final byte[] bytes;

        Bytes(byte... bytes) {
            this.bytes = bytes;
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            xdr.xdrEncodeOpaque(bytes, 0, bytes.length);
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) {
            throw new AssertionError();
        }
    }

    private static EncodedReply reply(int bytes) {
        return EncodedReply.of(new Bytes(new byte[bytes]));
    }

    private static CallKey key(int client, int xid) {
        try {
            return new CallKey(
                    InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) client}), xid, 100003, 3, 12, CALLER, 7);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private Call send(CallKey key, Call call) {
        cache.answer(key, call);
        return call;
    }

    private EncodedReply done(CallKey key) {
        EncodedReply reply = reply(REPLY_BYTES);
        assertThat(send(key, new Call(() -> new Outcome.Kept(reply))).answers).containsExactly(reply);
        return reply;
    }

    private boolean isKnown(CallKey key) {
        return send(key, Call.reading()).performed == 0;
    }

    @Test
    void call_repeated_isAnsweredWithTheSameBytes() {
        EncodedReply reply = done(key(1, 1));
        Call again = send(key(1, 1), Call.reading());
        assertThat(again.performed).isZero();
        assertThat(again.answers).containsExactly(reply);
        assertThat(isKnown(key(1, 2))).as("another XID").isFalse();
        assertThat(isKnown(key(2, 1))).as("another client").isFalse();
        InetAddress client = key(1, 1).client();
        assertThat(isKnown(new CallKey(client, 1, 100003, 3, 13, CALLER, 7))).isFalse();
        assertThat(isKnown(new CallKey(client, 1, 100003, 4, 12, CALLER, 7))).isFalse();
        assertThat(isKnown(new CallKey(client, 1, 100003, 3, 12, CALLER, 8))).isFalse();
        assertThat(isKnown(new CallKey(client, 1, 100227, 3, 12, CALLER, 7))).isFalse();
        assertThat(isKnown(new CallKey(client, 1, 100003, 3, 12, new Identity.SystemUser(2, 2, List.of(3L)), 7)))
                .as("another user")
                .isFalse();
    }

    @Test
    void call_repeatedWhileItRuns_isAnsweredWithTheFirst() {
        EncodedReply reply = reply(4);
        Call again = Call.reading();
        Call first = new Call(() -> {
            send(key(1, 1), again);
            assertThat(again.answers).isEmpty();
            return new Outcome.Kept(reply);
        });
        send(key(1, 1), first);
        assertThat(first.answers).containsExactly(reply);
        assertThat(again.answers).containsExactly(reply);
        assertThat(again.performed).isZero();
    }

    @Test
    void call_repeatedTooOftenWhileItRuns_isPutOff() {
        EncodedReply reply = reply(4);
        List<Call> repetitions = new ArrayList<>();
        send(key(1, 1), new Call(() -> {
            for (int i = 0; i < 9; i++) {
                repetitions.add(send(key(1, 1), Call.reading()));
            }
            return new Outcome.Kept(reply);
        }));
        for (Call waited : repetitions.subList(0, 8)) {
            assertThat(waited.answers).containsExactly(reply);
        }
        assertThat(repetitions.getLast().answers).containsExactly("later");
    }

    @Test
    void call_toldToComeLater_saysSoToAllAndIsForgotten() {
        EncodedReply later = reply(4);
        Call again = Call.reading();
        send(key(1, 1), new Call(() -> {
            send(key(1, 1), again);
            return new Outcome.Passing(later);
        }));
        assertThat(again.answers).containsExactly(later);
        assertThat(again.performed).isZero();
        assertThat(isKnown(key(1, 1))).isFalse();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void call_thatChangesNothing_isPerformedForEachWhoWaits() {
        Call first = Call.reading();
        List<Call> repetitions = List.of(Call.reading(), Call.reading());
        Call outer = new Call(() -> {
            repetitions.forEach(call -> send(key(1, 1), call));
            first.performed++;
            return first.work.get();
        });
        send(key(1, 1), outer);
        assertThat(first.answers).containsExactly("own");
        for (Call call : repetitions) {
            assertThat(call.performed).isEqualTo(1);
            assertThat(call.answers).containsExactly("own");
        }
        assertThat(isKnown(key(1, 1))).isFalse();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void call_performedForOneWhoWaited_answersTheRestIfItIsKept() {
        EncodedReply reply = reply(4);
        Call second = new Call(() -> new Outcome.Kept(reply));
        Call third = Call.reading();
        Call first = new Call(() -> {
            send(key(1, 1), second);
            send(key(1, 1), third);
            return new Outcome.Own(() -> {});
        });
        send(key(1, 1), first);
        assertThat(second.performed).isEqualTo(1);
        assertThat(third.performed).isZero();
        assertThat(third.answers).containsExactly(reply);
        assertThat(isKnown(key(1, 1))).isTrue();
    }

    @Test
    void call_repeatedAgainAndAgainWithoutChange_needsNoDeeperStack() {
        int[] left = {100_000};
        Call[] last = new Call[1];
        Supplier<Outcome> work = new Supplier<>() {
            @Override
            public Outcome get() {
                if (left[0]-- > 0) {
                    last[0] = send(key(1, 1), new Call(this));
                }
                return new Outcome.Own(() -> {});
            }
        };
        send(key(1, 1), new Call(work));
        assertThat(last[0].performed).isEqualTo(1);
        assertThat(isKnown(key(1, 1))).isFalse();
    }

    @Test
    void call_failsByADefect_whoWaitsIsPutOffAndItIsForgotten() {
        Call again = Call.reading();
        Call first = new Call(() -> {
            send(key(1, 1), again);
            throw new IllegalStateException("a defect");
        });
        assertThatThrownBy(() -> send(key(1, 1), first)).hasMessage("a defect");
        assertThat(again.answers).containsExactly("later");
        assertThat(isKnown(key(1, 1))).isFalse();
    }

    @Test
    void call_thatWaited_failsByADefect_endsAloneAndTheNextIsPutOff() {
        Call second = new Call(() -> {
            throw new IllegalStateException("a defect");
        });
        Call third = Call.reading();
        Call first = new Call(() -> {
            send(key(1, 1), second);
            send(key(1, 1), third);
            return new Outcome.Own(() -> {});
        });
        send(key(1, 1), first);
        assertThat(second.answers).containsExactly("failed");
        assertThat(third.answers).containsExactly("later");
    }

    @Test
    void reply_twoMinutesOld_isForgotten() {
        done(key(1, 1));
        now += KeptReplies.MAX_AGE_NANOS;
        assertThat(isKnown(key(1, 1))).isTrue();
        now += 1;
        assertThat(isKnown(key(1, 1))).isFalse();
        now += KeptReplies.MAX_AGE_NANOS;
        isKnown(key(2, 1));
        assertThat(cache.bytes()).as("swept").isZero();
    }

    @Test
    void reply_keptAgainAfterItWasTooOld_countsFromThen() {
        done(key(1, 1));
        done(key(1, 2));
        now += KeptReplies.MAX_AGE_NANOS + 1;
        done(key(1, 1));
        now += KeptReplies.MAX_AGE_NANOS;
        assertThat(isKnown(key(1, 1))).isTrue();
        assertThat(cache.bytes()).as("one reply and its client").isBetween((long) ENTRY_BYTES, 2L * ENTRY_BYTES);
    }

    @Test
    void replies_beyondTheBound_pushOutTheOldestOfWhoHasMost() {
        done(key(2, 1));
        for (int xid = 0; xid < 1000; xid++) {
            done(key(1, xid));
            assertThat(cache.bytes()).isLessThanOrEqualTo(100 * ENTRY_BYTES);
        }
        assertThat(isKnown(key(2, 1))).as("of a quiet client").isTrue();
        assertThat(isKnown(key(1, 999))).isTrue();
        assertThat(isKnown(key(1, 800))).isFalse();
    }

    @Test
    void replies_ofManyClients_shareTheBytes() {
        for (int xid = 0; xid < 100; xid++) {
            for (int client = 1; client <= 4; client++) {
                done(key(client, xid));
            }
        }
        for (int client = 1; client <= 4; client++) {
            for (int xid = 90; xid < 100; xid++) {
                assertThat(isKnown(key(client, xid))).isTrue();
            }
        }
    }

    @Test
    void writesAtFullSpeed_ofTheSameClient_doNotPushOutWhatMustNotBeRepeated() {
        EncodedReply renamed = done(key(1, 1));
        for (int xid = 2; xid < 10_000; xid++) {
            wrote(key(1, xid));
        }
        Call again = send(key(1, 1), Call.reading());
        assertThat(again.performed).isZero();
        assertThat(again.answers).containsExactly(renamed);
        assertThat(isKnown(key(1, 9_999))).as("the last write").isTrue();
        assertThat(isKnown(key(1, 9_999 - 20)))
                .as("what a client has under way")
                .isTrue();
        assertThat(cache.bytes()).isLessThanOrEqualTo(100 * ENTRY_BYTES);
        assertThat(cache.dropped()).isZero();
        assertThat(cache.droppedRepeatable()).isGreaterThan(9_000);
    }

    private void wrote(CallKey key) {
        send(key, new Call(() -> new Outcome.Kept(reply(REPLY_BYTES), true)));
    }

    @Test
    void repeatableCall_repeated_isAnsweredWithTheSameBytes() {
        EncodedReply reply = reply(8);
        send(key(1, 1), new Call(() -> new Outcome.Kept(reply, true)));
        assertThat(send(key(1, 1), Call.reading()).answers).containsExactly(reply);
    }

    @Test
    void replies_ofOneNetwork_countAsOneClients() throws UnknownHostException {
        InetAddress quiet = InetAddress.getByName("2001:db8:1::1");
        done(new CallKey(quiet, 1, 100003, 3, 12, CALLER, 7));
        for (int host = 0; host < 1000; host++) {
            InetAddress address = InetAddress.getByName("2001:db8:2::" + Integer.toHexString(host));
            done(new CallKey(address, 1, 100003, 3, 12, CALLER, 7));
        }
        assertThat(isKnown(new CallKey(quiet, 1, 100003, 3, 12, CALLER, 7))).isTrue();
        assertThat(cache.clients()).isEqualTo(2);
    }

    @Test
    void clients_thatAreGone_leaveNothingBehind() {
        for (int client = 0; client < 200; client++) {
            done(key(client, 1));
        }
        now += KeptReplies.MAX_AGE_NANOS + 1;
        for (int xid = 0; xid < 300 * 64; xid++) {
            isKnown(key(250, xid));
        }
        assertThat(cache.clients()).isEqualTo(1);
        assertThat(cache.bytes()).isZero();
    }

    /**
     * Sends each of the calls twice, from several threads for several clients. Returns how often each thread performed
     * one.
     */
    private static AtomicIntegerArray performedByThreads(ReplyCache cache, int threads, int calls)
            throws InterruptedException {
        AtomicIntegerArray performed = new AtomicIntegerArray(threads);
        List<Thread> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int mine = t;
            running.add(Thread.ofPlatform().start(() -> {
                for (int xid = 0; xid < calls; xid++) {
                    CallKey key = key(1 + (xid + mine) % 3, xid * threads + mine);
                    for (int i = 0; i < 2; i++) {
                        cache.answer(key, new Call(() -> {
                            performed.incrementAndGet(mine);
                            return new Outcome.Kept(reply(REPLY_BYTES), false);
                        }));
                    }
                }
            }));
        }
        for (Thread thread : running) {
            thread.join();
        }
        return performed;
    }

    @Test
    void calls_ofManyThreads_areDoneOnceEach() throws Exception {
        AtomicIntegerArray performed = performedByThreads(new ReplyCache(1 << 30, () -> now), 4, 5_000);
        for (int t = 0; t < 4; t++) {
            assertThat(performed.get(t)).isEqualTo(5_000);
        }
    }

    @Test
    void calls_ofManyThreadsBeyondTheBound_areChargedAndGivenBackExactly() throws Exception {
        performedByThreads(cache, 4, 5_000);
        assertThat(cache.bytes()).isBetween(ENTRY_BYTES * 50L, ENTRY_BYTES * 100L);
        now += KeptReplies.MAX_AGE_NANOS + 1;
        for (int xid = 0; xid < 64 * 64; xid++) {
            isKnown(key(9, -xid));
        }
        assertThat(cache.bytes()).isZero();
        assertThat(cache.clients()).isEqualTo(1);
    }

    @Test
    void replies_largerThanTheWholeCache_areNotKept() {
        send(key(1, 1), new Call(() -> new Outcome.Kept(reply(200 * ENTRY_BYTES))));
        assertThat(cache.bytes()).isZero();
        done(key(1, 2));
        assertThat(isKnown(key(1, 2))).isTrue();
    }

    @Test
    void reply_encodedAgain_isTheSame() {
        byte[] body = {1, 2, 3, 4, 5, 6, 7, 8};
        Xdr xdr = new Xdr(64);
        xdr.beginEncoding();
        EncodedReply.of(new Bytes(body)).xdrEncode(xdr);
        xdr.endEncoding();
        assertThat(xdr.getBytes()).isEqualTo(body);
    }
}
