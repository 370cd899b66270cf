package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyReader;

/** Calls of NSM with any arguments, notices in any order, and any records on disk. */
class NsmFuzzTest {
    private static final int CLIENT = 2;
    private static final int OTHER = 3;
    /** The longest name, and something behind it. */
    private static final int MOST_BYTES = 2048;

    private static final int MOST_STEPS = 64;

    /** The first byte is the procedure; the arguments follow. */
    @FuzzTest
    void anyArguments_ofNsm_areAnsweredAndFreeNothingOfOthers(byte[] bytes) {
        if (bytes.length == 0 || bytes.length > MOST_BYTES) {
            return;
        }
        NlmBench bench = new NlmBench();
        assertThat(bench.lock(OTHER, "other", false, true, 0, 0)).isEqualTo(NlmStatus.GRANTED);
        byte[] message = CallWriter.call(7, NsmProgram.PROGRAM, NsmProgram.VERSION, bytes[0] & 15)
                .authSys(0, 0)
                .bytes(Arrays.copyOfRange(bytes, 1, bytes.length))
                .toBytes();

        ReplyReader reply = bench.send(bench.server.nsm(), CLIENT, message);

        assertThat(reply.stat()).isIn(0, ReplyReader.PROC_UNAVAIL, ReplyReader.GARBAGE_ARGS);
        assertThat(bench.test(CLIENT, "prober", 0, 1)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.server.lockCount()).isOne();
        assertThat(bench.calls).as("nobody is called on a stranger's word").isEmpty();
    }

    /**
     * Each three bytes are a step: what is done, the state of a notice or the offset of a lock, the form of the name.
     */
    @FuzzTest
    void anyNotices_betweenLocksAndShares_freeWhatIsTheirSendersAlone(byte[] steps) {
        NlmBench bench = new NlmBench();
        bench.lock(OTHER, "other", false, true, 1000, 1);
        bench.share(OTHER, "other", 0, 1, true);
        for (int at = 0; at + 2 < steps.length && at < 3 * MOST_STEPS; at += 3) {
            int number = steps[at + 1] & 0xff;
            switch (steps[at] & 7) {
                case 0 -> bench.lock(CLIENT, "a", false, true, number, 1);
                case 1 -> bench.lock(CLIENT, "b", true, true, number, 1);
                case 2 -> bench.share(CLIENT, "a", 0, 1, true);
                case 3 -> bench.unlock(CLIENT, "a", number, 1);
                case 4 -> bench.lock(OTHER, "other", true, true, number, 1);
                case 5 -> bench.unlock(OTHER, "other", number, 1);
                default -> {
                    String name = steps[at + 2] == 0 ? "client.lab" : "client" + steps[at + 2];
                    bench.notifyRestart(CLIENT, name, number);
                }
            }
            bench.runNotices();
        }

        assertThat(bench.test(CLIENT, "prober", 1000, 1)).isEqualTo(NlmStatus.DENIED);
        bench.notifyRestart(CLIENT, "client.lab", 1 << 20);
        bench.unlock(OTHER, "other", 0, 0);
        bench.runNotices();
        bench.notifyRestart(CLIENT, "client.lab", 1 << 21);
        assertThat(bench.server.lockCount()).as("the client has restarted").isZero();
        assertThat(bench.service.waiting()).isZero();
        assertThat(bench.server.shareCount()).as("that of the other").isOne();
    }

    /** A damaged record keeps no server from starting, and is no reason for another client not to be told. */
    @FuzzTest
    void anyBytes_asTheRecordOfAClient_areAClientOrNone(byte[] bytes) throws IOException {
        if (bytes.length > MOST_BYTES) {
            return;
        }
        Path directory = Files.createTempDirectory("nsm");
        try {
            new NlmBench(directory, ExportOptions.DEFAULTS).lock(CLIENT, "a", false, true, 0, 1);
            Files.write(directory.resolve("hosts").resolve("any"), bytes);

            NlmBench second = new NlmBench(directory, ExportOptions.DEFAULTS);
            second.server.listening();

            assertThat(second.calls).hasSizeBetween(1, 2);
            assertThat(second.lock(CLIENT, "a", false, true, true, 0, 1)).isEqualTo(NlmStatus.GRANTED);
        } finally {
            remove(directory);
        }
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.delete(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
