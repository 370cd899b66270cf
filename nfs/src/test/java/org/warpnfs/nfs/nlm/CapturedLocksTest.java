package org.warpnfs.nfs.nlm;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.limits.ClientAddress;
import org.warpnfs.nfs.locks.ByteRange;
import org.warpnfs.nfs.locks.LockedFile;
import org.warpnfs.nfs.locks.Locker;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.CapturedMessages;
import org.warpnfs.nfs.testing.CapturedMessages.Message;

/** The calls of a Linux client, in the order of their session, get the replies that knfsd gave. */
class CapturedLocksTest {
    private static final String HANDLE = "000000140100010100000000c52e15210300000000000000";
    private static final String SERVER = "0a7365727665722e6c6162";

    private final NlmBench bench = new NlmBench();

    /** The process on the server's host that had locked bytes 100 to 109. */
    private record LocalProcess(int process) implements Locker {
        @Override
        public boolean isGone() {
            return false;
        }

        @Override
        public byte[] name() {
            return new byte[0];
        }

        @Override
        public ClientAddress address() {
            return ClientAddress.of(new InetSocketAddress("10.0.0.9", 1));
        }
    }

    private byte[] withOurHandle(Message message) {
        String handle =
                HexFormat.of().formatHex(new CallWriter().opaque(bench.handle()).toBytes());
        return HexFormat.of().parseHex(message.bytes().replace(HANDLE, handle));
    }

    @Test
    void session_ofLinuxAndKnfsd_getsTheSameReplies() throws Exception {
        List<Message> messages = CapturedMessages.locks();
        LocalProcess local = new LocalProcess(241);
        ByteRange locked = new ByteRange(100, 109);
        assertThat(bench.service
                        .lock(LockedFile.here(bench.identity()), local, true, locked)
                        .isGranted())
                .isTrue();
        int compared = 0;
        for (int at = 0; at < messages.size(); at++) {
            Message call = messages.get(at);
            if (!call.isCall() || call.bytes().contains(SERVER)) {
                continue;
            }
            byte[] reply = NlmBench.sendRaw(
                    call.program() == NsmProgram.PROGRAM ? bench.server.nsm() : bench.server.nlm(),
                    NlmBench.CLIENT,
                    withOurHandle(call));
            assertThat(HexFormat.of().formatHex(reply)).as("message %d", at).isEqualTo(replyTo(messages, at));
            compared++;
            if (compared == 9) {
                // The process on the host unlocks, and the client that waits is told.
                bench.service.unlock(bench.identity(), local, locked, Runnable::run);
                bench.runNotices();
                compareGranted(messages);
            }
        }
        assertThat(compared).isEqualTo(15);
    }

    private static String replyTo(List<Message> messages, int call) {
        String xid = messages.get(call).bytes().substring(0, 8);
        return messages.stream()
                .filter(reply -> !reply.isCall() && reply.bytes().startsWith(xid))
                .findFirst()
                .orElseThrow()
                .bytes();
    }

    /** knfsd calls GRANTED_MSG, we call GRANTED: their arguments are the same but for the cookie and the name. */
    private void compareGranted(List<Message> messages) {
        Message granted = messages.stream()
                .filter(message -> message.isCall() && message.procedure() == NlmProgram.GRANTED_MSG)
                .findFirst()
                .orElseThrow();
        byte[] theirs = withOurHandle(granted);
        byte[] ours = bench.calls.getFirst().arguments().toBytes();
        int same = new CallWriter()
                .opaque(bench.handle())
                .opaque(new byte[12])
                .words(0)
                .hyper(0)
                .hyper(0)
                .toBytes()
                .length;
        assertThat(tail(ours, same)).isEqualTo(tail(theirs, same));
        bench.answers.remove().complete(NlmBench.answer(NlmStatus.GRANTED));
    }

    private static byte[] tail(byte[] bytes, int length) {
        return Arrays.copyOfRange(bytes, bytes.length - length, bytes.length);
    }
}
