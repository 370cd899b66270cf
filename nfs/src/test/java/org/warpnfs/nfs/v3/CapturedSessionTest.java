package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.nfs.testing.CapturedMessages;
import org.warpnfs.nfs.testing.CapturedMessages.Message;
import org.warpnfs.nfs.testing.ReplyReader;

/**
 * Sends this server what a Linux client sent to knfsd. The answers must be alike, and truncated calls must do nothing.
 */
class CapturedSessionTest {
    private static final HexFormat HEX = HexFormat.of();

    private final V3Server server = new V3Server();
    /** This server's handles for the files of knfsd's handles. */
    private final Map<String, byte[]> ours = new HashMap<>();

    private CapturedSessionTest() {
        ours.put("0100010000000000", server.root(server.trusting));
    }

    @Test
    void session_ofALinuxClient_isAnsweredAsKnfsdDid() throws FsException {
        List<Message> messages = CapturedMessages.all();
        int compared = 0;
        for (int i = 0; i < messages.size(); i++) {
            Message call = messages.get(i);
            boolean hasReply = i + 1 < messages.size() && !messages.get(i + 1).isCall();
            if (call.program() == Nfs3Program.PROGRAM && call.isCall() && hasReply) {
                byte[] expected = messages.get(i + 1).toBytes();
                byte[] actual = server.send(withOurHandles(call.toBytes()));
                learnHandle(call.procedure(), expected, actual);
                makeUpForTheWriteByChunk(call);
                assertThat(shape(call.procedure(), actual))
                        .as("procedure %d, message %d", call.procedure(), i)
                        .isEqualTo(shape(call.procedure(), expected));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(35);
    }

    @Test
    void call_cutAnywhere_isGarbageAndDoesNothing() throws Exception {
        FsStatistics before = server.fs.statistics();
        int calls = 0;
        for (Message call : CapturedMessages.calls(Nfs3Program.PROGRAM)) {
            byte[] whole = withRoot(call.toBytes());
            int args = argumentsOffset(whole);
            for (int length = args; length < whole.length; length++) {
                ReplyReader reply = new ReplyReader(server.send(Arrays.copyOf(whole, length)));
                assertThat(reply.stat())
                        .as("procedure %d cut at %d", call.procedure(), length)
                        .isEqualTo(ReplyReader.GARBAGE_ARGS);
                assertThat(reply.remaining()).isZero();
            }
            calls++;
        }
        assertThat(calls).isGreaterThan(40);
        assertThat(server.fs.statistics()).isEqualTo(before);
        assertThat(server.attributes(server.root()).nlink()).isEqualTo(2);
    }

    @Test
    void call_anyWordMadeHuge_isAnsweredWithoutIt() {
        for (Message call : CapturedMessages.calls(Nfs3Program.PROGRAM)) {
            byte[] whole = withRoot(call.toBytes());
            for (int word = argumentsOffset(whole); word < whole.length; word += 4) {
                for (int value : new int[] {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x7ffffffc, 1 << 24}) {
                    byte[] hostile = whole.clone();
                    ByteBuffer.wrap(hostile).putInt(word, value);
                    ReplyReader reply = new ReplyReader(server.send(hostile));
                    assertThat(reply.stat()).isIn(ReplyReader.SUCCESS, ReplyReader.GARBAGE_ARGS);
                }
            }
        }
    }

    /** What must be alike: which parts are present, and what a client's user sees of a file. */
    private static List<Object> shape(int procedure, byte[] message) {
        V3Reply reply = new V3Reply(message);
        List<Object> shape = new ArrayList<>();
        if (procedure == 0) {
            shape.add(reply.stat());
            reply.end();
            return shape;
        }
        Nfs3Status status = reply.status();
        shape.add(status);
        if (status == Nfs3Status.OK) {
            addResult(shape, procedure, reply);
        } else {
            assertThat(procedure).as("only lookups fail in this session").isEqualTo(V3Server.LOOKUP);
            shape.add(seen(reply.postOp()));
        }
        reply.end();
        return shape;
    }

    private static void addResult(List<Object> shape, int procedure, V3Reply reply) {
        switch (procedure) {
            case V3Server.GETATTR -> shape.add(seen(reply.attributes()));
            case V3Server.LOOKUP -> {
                reply.handle();
                shape.add(seen(reply.postOp()));
                shape.add(seen(reply.postOp()));
            }
            case V3Server.ACCESS -> {
                shape.add(seen(reply.postOp()));
                shape.add("access " + reply.word());
            }
            case V3Server.READ -> {
                shape.add(seen(reply.postOp()));
                shape.add(reply.word());
                shape.add(reply.bool());
                shape.add(HEX.formatHex(reply.opaque(1 << 20)));
            }
            case V3Server.WRITE -> {
                shape.add(seen(reply.wcc()));
                shape.add(reply.word());
                shape.add(reply.word());
                reply.hyper();
            }
            case V3Server.CREATE, V3Server.MKDIR, V3Server.SYMLINK -> {
                shape.add(reply.postOpHandle() != null);
                shape.add(seen(reply.postOp()));
                shape.add(seen(reply.wcc()));
            }
            case V3Server.SETATTR, V3Server.REMOVE, V3Server.RMDIR -> shape.add(seen(reply.wcc()));
            case V3Server.RENAME -> {
                shape.add(seen(reply.wcc()));
                shape.add(seen(reply.wcc()));
            }
            case V3Server.LINK -> {
                shape.add(seen(reply.postOp()));
                shape.add(seen(reply.wcc()));
            }
            case V3Server.COMMIT -> {
                shape.add(seen(reply.wcc()));
                reply.hyper();
            }
            case V3Server.FSSTAT -> {
                reply.postOp(); // knfsd leaves them out of this and the next two
                for (int i = 0; i < 6; i++) {
                    assertThat(reply.hyper()).isPositive();
                }
                shape.add(reply.word());
            }
            case V3Server.FSINFO -> {
                reply.postOp();
                for (int i = 0; i < 6; i++) {
                    shape.add(reply.word());
                }
                reply.word(); // dtpref
                shape.add(reply.hyper());
                reply.hyper(); // time_delta
                shape.add(reply.word());
            }
            case V3Server.PATHCONF -> {
                reply.postOp();
                reply.word(); // linkmax
                shape.add(reply.word());
                reply.bool(); // no_trunc, chown_restricted: knfsd knows neither
                reply.bool();
                shape.add(reply.bool());
                shape.add(reply.bool());
            }
            default -> throw new AssertionError("procedure " + procedure + " has no reply in the capture");
        }
    }

    private static String seen(V3Reply.Attributes a) {
        if (a == null) {
            return "absent";
        }
        String file =
                "type " + a.type() + " mode " + Integer.toOctalString(a.mode()) + " uid " + a.uid() + " gid " + a.gid();
        // Sizes and link counts of directories depend on the file system.
        return a.type() == 2 ? "directory" : file + " nlink " + a.nlink() + " size " + a.size();
    }

    private static String seen(V3Reply.Wcc wcc) {
        return (wcc.before() == null ? "" : "before, ") + "after " + seen(wcc.after());
    }

    private void learnHandle(int procedure, byte[] expected, byte[] actual) {
        V3Reply theirs = new V3Reply(expected);
        V3Reply mine = new V3Reply(actual);
        boolean creates = procedure == V3Server.CREATE || procedure == V3Server.MKDIR || procedure == V3Server.SYMLINK;
        if (creates && theirs.status() == Nfs3Status.OK && mine.status() == Nfs3Status.OK) {
            ours.put(HEX.formatHex(theirs.postOpHandle()), mine.postOpHandle());
        }
    }

    /**
     * Makes up for a WRITE of 1 MiB to the file "big". The client sent it with a Read chunk, which the capture of calls
     * does not have.
     */
    private void makeUpForTheWriteByChunk(Message call) throws FsException {
        if (call.procedure() == V3Server.CREATE && call.bytes().contains(opaque(new byte[] {'b', 'i', 'g'}))) {
            FileHandle big = server.fs
                    .lookup(Caller.ROOT, server.fs.root(), FileName.of("big"))
                    .handle();
            server.fs.setAttributes(Caller.ROOT, big, AttributeChanges.ofSize(1 << 20));
        }
    }

    private byte[] withOurHandles(byte[] call) {
        int offset = argumentsOffset(call);
        String hex = HEX.formatHex(call, offset, call.length);
        for (Map.Entry<String, byte[]> entry : ours.entrySet()) {
            hex = hex.replace(opaque(HEX.parseHex(entry.getKey())), opaque(entry.getValue()));
        }
        return concat(Arrays.copyOf(call, offset), HEX.parseHex(hex));
    }

    /**
     * The call with its first handle replaced by that of this server's root, so that it would find a file to change.
     */
    private byte[] withRoot(byte[] call) {
        int offset = argumentsOffset(call);
        if (call.length == offset) {
            return call;
        }
        int length = ByteBuffer.wrap(call).getInt(offset);
        String theirs = HEX.formatHex(call, offset, offset + 4 + length);
        String hex = HEX.formatHex(call, offset, call.length).replace(theirs, opaque(server.root(server.trusting)));
        return concat(Arrays.copyOf(call, offset), HEX.parseHex(hex));
    }

    private static String opaque(byte[] bytes) {
        byte[] padded = Arrays.copyOf(bytes, bytes.length + 3 & -4);
        return String.format("%08x", bytes.length) + HEX.formatHex(padded);
    }

    private static int argumentsOffset(byte[] call) {
        ByteBuffer words = ByteBuffer.wrap(call);
        int verifier = 32 + words.getInt(28);
        return verifier + 8 + words.getInt(verifier + 4);
    }

    private static byte[] concat(byte[] a, byte[] b) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(a);
        out.writeBytes(b);
        return out.toByteArray();
    }
}
