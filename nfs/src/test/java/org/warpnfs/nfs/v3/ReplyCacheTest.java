package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The memory of what was answered, by itself: time is a number, replies are a few bytes. */
class ReplyCacheTest {
    private static final int REPLY_BYTES = 744;
    /** With what an entry takes beside its reply. */
    private static final int ENTRY_BYTES = 1000;

    private long now = Long.MAX_VALUE - 5; // a monotonic clock may wrap
    private final ReplyCache cache = new ReplyCache(100 * ENTRY_BYTES, () -> now);
    private final List<EncodedReply> heard = new ArrayList<>();

    private static ReplyCache.Key key(int client, int xid) {
        try {
            return new ReplyCache.Key(
                    InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) client}), xid, 100003, 12, 7);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private ReplyCache.Verdict begin(ReplyCache.Key key) {
        return cache.begin(key, heard::add);
    }

    private ReplyCache.Running perform(ReplyCache.Key key) {
        ReplyCache.Verdict verdict = begin(key);
        assertThat(verdict).isInstanceOf(ReplyCache.Verdict.Perform.class);
        return ((ReplyCache.Verdict.Perform) verdict).running();
    }

    private EncodedReply done(ReplyCache.Key key) {
        EncodedReply reply = new EncodedReply(new byte[REPLY_BYTES]);
        cache.done(perform(key), reply);
        return reply;
    }

    private boolean isKnown(ReplyCache.Key key) {
        ReplyCache.Verdict verdict = begin(key);
        if (verdict instanceof ReplyCache.Verdict.Perform performed) {
            cache.undone(performed.running(), null);
        }
        return verdict instanceof ReplyCache.Verdict.Repeat;
    }

    @Test
    void call_repeated_isAnsweredWithTheSameBytes() {
        EncodedReply reply = done(key(1, 1));
        assertThat(begin(key(1, 1))).isEqualTo(new ReplyCache.Verdict.Repeat(reply));
        assertThat(isKnown(key(1, 2))).as("another XID").isFalse();
        assertThat(isKnown(key(2, 1))).as("another client").isFalse();
        ReplyCache.Key first = key(1, 1);
        assertThat(isKnown(new ReplyCache.Key(first.client(), 1, 100003, 13, 7)))
                .isFalse();
        assertThat(isKnown(new ReplyCache.Key(first.client(), 1, 100003, 12, 8)))
                .isFalse();
        assertThat(isKnown(new ReplyCache.Key(first.client(), 1, 100227, 12, 7)))
                .isFalse();
    }

    @Test
    void call_repeatedWhileItRuns_isAnsweredWithTheFirst() {
        ReplyCache.Running first = perform(key(1, 1));
        assertThat(begin(key(1, 1))).isEqualTo(new ReplyCache.Verdict.Wait());
        assertThat(heard).isEmpty();
        EncodedReply reply = new EncodedReply(new byte[4]);
        cache.done(first, reply);
        assertThat(heard).containsExactly(reply);
    }

    @Test
    void call_repeatedTooOftenWhileItRuns_isRefused() {
        ReplyCache.Running first = perform(key(1, 1));
        for (int i = 0; i < 8; i++) {
            begin(key(1, 1));
        }
        assertThat(begin(key(1, 1))).isEqualTo(new ReplyCache.Verdict.Refuse());
        cache.done(first, new EncodedReply(new byte[4]));
        assertThat(heard).hasSize(8);
    }

    @Test
    void call_thatCameToNothing_isDoneAgain() {
        ReplyCache.Running first = perform(key(1, 1));
        begin(key(1, 1));
        cache.undone(first, null);
        assertThat(heard).containsExactly((EncodedReply) null);
        assertThat(isKnown(key(1, 1))).isFalse();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void reply_twoMinutesOld_isForgotten() {
        done(key(1, 1));
        now += ReplyCache.MAX_AGE_NANOS;
        assertThat(isKnown(key(1, 1))).isTrue();
        now += 1;
        assertThat(isKnown(key(1, 1))).isFalse();
        now += ReplyCache.MAX_AGE_NANOS;
        isKnown(key(2, 1));
        assertThat(cache.bytes()).as("swept").isZero();
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
    void replies_largerThanTheWholeCache_areNotKept() {
        cache.done(perform(key(1, 1)), new EncodedReply(new byte[200 * ENTRY_BYTES]));
        assertThat(cache.bytes()).isZero();
        done(key(1, 2));
        assertThat(isKnown(key(1, 2))).isTrue();
    }
}
