package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.testkit.LiveHeap;

/**
 * What the budget counts for each record of NLM is at least what it takes with the longest names, compared with the
 * objects on the heap.
 */
class NlmHeapTest {
    private static final int RECORDS = 2_000;
    private static final int NAME_BYTES = 1_024;

    private final NlmBench bench = new NlmBench(new NlmLimits(8 * RECORDS, 8 * RECORDS, 8 * RECORDS), 3 * RECORDS);

    private static String name(int number) {
        String start = "owner " + number + " ";
        return start + "x".repeat(NAME_BYTES - start.length());
    }

    private void assertGranted(CallWriter call) {
        byte[] reply = NlmBench.sendRaw(bench.server.nlm(), NlmBench.CLIENT, call.toBytes());
        assertThat(NlmBench.lastWord(reply)).isEqualTo(NlmStatus.GRANTED.code());
    }

    private void lock(String host, byte[] file, String owner) {
        assertGranted(NlmBench.nlm(NlmProgram.LOCK)
                .words(0, 1)
                .string(host)
                .opaque(file)
                .string(owner)
                .words(1)
                .hyper(0)
                .hyper(1)
                .words(0, 1));
    }

    private static void assertCounted(String what, long counted, long before) {
        long taken = (LiveHeap.bytes() - before) / RECORDS;
        assertThat(counted).as("bytes counted for each of %s", what).isBetween(taken, 2 * taken);
    }

    @Test
    void locksOfTheLongestOwners_takeNoMoreThanTheBudgetCounts() throws Exception {
        byte[][] files = new byte[RECORDS][];
        for (int i = 0; i < RECORDS; i++) {
            files[i] = bench.newFile("f" + i);
        }
        lock("client", bench.handle(), "first");
        long before = LiveHeap.bytes();
        for (int i = 0; i < RECORDS; i++) {
            lock("client", files[i], name(i));
        }
        assertCounted("locks", NlmLimits.LOCK_BYTES, before);
        before = LiveHeap.bytes();
        for (int i = 0; i < RECORDS; i++) {
            lock(name(i), bench.newFile("g" + i), name(i));
        }
        assertCounted("locks and clients", NlmLimits.LOCK_BYTES + NlmLimits.HOST_BYTES, before);
    }

    @Test
    void sharesOfTheLongestOwners_takeNoMoreThanTheBudgetCounts() {
        lock("client", bench.handle(), "first");
        long before = LiveHeap.bytes();
        for (int i = 0; i < RECORDS; i++) {
            byte[] _ = NlmBench.sendRaw(
                    bench.server.nlm(),
                    NlmBench.CLIENT,
                    NlmBench.nlm(NlmProgram.SHARE)
                            .string("client")
                            .opaque(bench.handle())
                            .string(name(i))
                            .words(0, 1, 0)
                            .toBytes());
        }
        assertThat(bench.server.shareCount()).isEqualTo(RECORDS);
        assertCounted("shares", NlmLimits.SHARE_BYTES, before);
    }
}
