package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalInt;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyReader;

/** Calls of NLM with any arguments. Every call is answered, and no client loses or frees what another has. */
class NlmFuzzTest {
    private static final int CLIENT = 2;
    private static final int OTHER = 3;
    /** The longest argument of a lock, and something behind it. */
    private static final int MOST_BYTES = 4096;

    /** Stands for the handle of the file, which is another one each time. */
    private static final byte HANDLE = 'H';

    private static byte[] withHandle(byte[] arguments, byte[] handle) {
        byte[] whole = arguments.clone();
        int same = 0;
        for (int at = 0; at < whole.length; at++) {
            same = whole[at] == HANDLE ? same + 1 : 0;
            if (same == handle.length) {
                System.arraycopy(handle, 0, whole, at + 1 - same, same);
                same = 0;
            }
        }
        return whole;
    }

    /** The first byte is the procedure; the arguments follow. */
    @FuzzTest
    void anyArguments_ofNlm_areAnsweredAndFreeNothingOfOthers(byte[] bytes) {
        if (bytes.length == 0 || bytes.length > MOST_BYTES) {
            return;
        }
        NlmBench bench = new NlmBench();
        assertThat(bench.lock(OTHER, "other", false, true, 0, 0)).isEqualTo(NlmStatus.GRANTED);
        int procedure = bytes[0] & 31;
        byte[] message = CallWriter.call(7, NlmProgram.PROGRAM, NlmProgram.VERSION, procedure)
                .authSys(0, 0)
                .bytes(withHandle(Arrays.copyOfRange(bytes, 1, bytes.length), bench.handle()))
                .toBytes();

        ReplyReader reply = bench.send(bench.server.nlm(), CLIENT, message);

        assertThat(reply.stat()).isIn(0, ReplyReader.PROC_UNAVAIL, ReplyReader.GARBAGE_ARGS);
        assertThat(bench.test(CLIENT, "prober", 0, 1)).isEqualTo(NlmStatus.DENIED);
        assertThat(bench.server.lockCount()).isOne();
    }

    /** A GRANTED is answered by a client, with any bytes. */
    @FuzzTest
    void anyBytes_asTheAnswerToGranted_areAStatusOrNone(byte[] bytes) {
        ByteBuffer reply = ByteBuffer.wrap(bytes);

        OptionalInt status = Granting.status(reply);

        assertThat(status.isEmpty() || bytes.length >= 2 * Integer.BYTES).isTrue();
    }
}
