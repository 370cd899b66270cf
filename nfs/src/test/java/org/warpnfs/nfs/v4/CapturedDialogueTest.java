package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.nfs.testing.ReplyReader;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * Sends this server what a Linux client sent to knfsd from its mount to its unmount, with this server's handles, ids
 * and stateids. Each operation must end as it did there. Then it sends the same calls truncated and changed.
 */
class CapturedDialogueTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final int[] HOSTILE = {-1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x7ffffffc, 1 << 24};

    private final V4Server server = V4Server.exportingRoot();
    /** Hexadecimal text of knfsd's values and of those that replace them here, the longer ones first. */
    private final Map<String, String> ours =
            new TreeMap<>(Comparator.comparing(String::length).reversed().thenComparing(Comparator.naturalOrder()));

    private final Map<Integer, Integer> seqids = new HashMap<>();
    private final List<byte[]> sent = new ArrayList<>();
    private byte[] session = new byte[16];
    private int operations;

    @ParameterizedTest
    @ValueSource(strings = {"4.1", "4.2"})
    void dialogue_ofALinuxClient_endsAsItDidWithKnfsd(String version) throws IOException {
        play(version);

        assertThat(operations).isGreaterThan(180);
        assertThat(server.program().counts().clients())
                .as("the umount left nothing")
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1", "4.2"})
    void call_cutAnywhere_isAnswered(String version) throws IOException {
        play(version);
        mountAgain();
        for (byte[] call : sent) {
            for (int length = bodyOffset(call); length < call.length; length++) {
                byte[] cut = withOurSession(Arrays.copyOf(call, length));
                ReplyReader reply = new ReplyReader(server.send(cut));
                if (reply.stat() == ReplyReader.SUCCESS) {
                    assertThat(reply.word())
                            .as("cut at %d of %d", length, call.length)
                            .isNotZero();
                } else {
                    assertThat(reply.stat()).isEqualTo(ReplyReader.GARBAGE_ARGS);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1", "4.2"})
    void call_anyWordMadeHuge_isAnswered(String version) throws IOException {
        play(version);
        mountAgain();
        for (byte[] call : sent) {
            for (int word = bodyOffset(call); word < call.length; word += 4) {
                for (int value : HOSTILE) {
                    byte[] bent = withOurSession(call.clone());
                    ByteBuffer.wrap(bent).putInt(word, value);
                    ReplyReader reply = new ReplyReader(server.send(bent));
                    assertThat(reply.stat()).isIn(ReplyReader.SUCCESS, ReplyReader.GARBAGE_ARGS);
                }
            }
        }
    }

    private V4Client again;

    private void mountAgain() {
        again = V4Client.mounted(server, "again", 0);
    }

    private void play(String version) throws IOException {
        List<byte[]> messages = read(version);
        for (int i = 0; i < messages.size(); i += 2) {
            byte[] call = withOurs(messages.get(i));
            sent.add(call);
            compare(new Reply(messages.get(i + 1)), new Reply(server.send(call)), i / 2);
        }
    }

    private static List<byte[]> read(String version) throws IOException {
        String resource = "/org/warpnfs/nfs/captured/linux-v" + version + ".txt";
        try (InputStream in = CapturedDialogueTest.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> HEX.parseHex(Splitter.on(' ').splitToList(line).get(1)))
                    .toList();
        }
    }

    private void compare(Reply theirs, Reply mine, int index) {
        assertThat(mine.count()).as("results of compound %d", index).isEqualTo(theirs.count());
        for (int i = 0; i < theirs.count(); i++) {
            int number = theirs.word();
            assertThat(mine.word()).isEqualTo(number);
            Nfs4Status status = Reply.of(theirs.word());
            assertThat(Reply.of(mine.word()))
                    .as("operation %d, the %dth of compound %d", number, i, index)
                    .isEqualTo(status);
            operations++;
            if (status == Nfs4Status.OK && !compareResult(number, theirs, mine)) {
                return;
            }
        }
        assertThat(mine.status()).isEqualTo(theirs.status());
        mine.end();
    }

    /** Returns false if what follows has another layout. */
    private boolean compareResult(int number, Reply theirs, Reply mine) {
        switch (number) {
            case 3 -> assertThat(mine.words(2)).as("ACCESS").isEqualTo(theirs.words(2));
            case 4 -> {
                theirs.stateid();
                mine.stateid();
            }
            case 5 -> {
                theirs.hyper();
                mine.hyper();
            }
            case 6 -> {
                theirs.words(5);
                mine.words(5);
                assertThat(bitmap(mine)).as("attributes set").isEqualTo(bitmap(theirs));
            }
            case 9 -> attributes(theirs, mine);
            case 10 -> learnHandle(theirs.opaque(128), mine.opaque(128));
            case 11, 28 -> {
                theirs.words(5);
                mine.words(5);
            }
            case 15, 22, 24, 31, 32, 57, 58, 44 -> {}
            case 18 -> open(theirs, mine);
            case 25 -> {
                assertThat(mine.bool()).as("eof").isEqualTo(theirs.bool());
                assertThat(mine.opaque(4096)).isEqualTo(theirs.opaque(4096));
            }
            case 29 -> {
                theirs.words(10);
                mine.words(10);
            }
            case 34 -> assertThat(bitmap(mine)).isEqualTo(bitmap(theirs));
            case 38 -> {
                assertThat(mine.word()).as("bytes written").isEqualTo(theirs.word());
                theirs.words(3);
                mine.words(3);
            }
            case 42 -> {
                learn(theirs.words(3), mine.words(3));
                return false;
            }
            case 43 -> {
                theirs.words(4);
                session = HEX.parseHex(hex(mine.words(4)));
                return false;
            }
            case 53 -> {
                theirs.words(9);
                mine.words(9);
            }
            // The order of entries is up to the server.
            case 26 -> {
                return false;
            }
            default -> throw new AssertionError("operation " + number + " is not in the capture");
        }
        return true;
    }

    private void open(Reply theirs, Reply mine) {
        assertThat(mine.word()).as("seqid").isEqualTo(theirs.word());
        // I/O has a stateid with seqid 0.
        ours.put(hex(theirs.words(3)), hex(mine.words(3)));
        theirs.words(5);
        mine.words(5);
        theirs.word();
        mine.word();
        assertThat(bitmap(mine)).as("attributes set by OPEN").isEqualTo(bitmap(theirs));
        skipDelegation(theirs);
        assertThat(mine.word()).as("no delegation").isZero();
    }

    /** Words of zeroes at the end have no meaning and are dropped. */
    private static String bitmap(Reply reply) {
        return hex(reply.words(reply.word())).replaceAll("(0{8})*$", "");
    }

    private static void skipDelegation(Reply theirs) {
        int type = theirs.word();
        if (type == 1) {
            theirs.words(4 + 1 + 3);
            theirs.opaque(1024);
        } else if (type == 3) {
            theirs.word();
        }
    }

    /** What both have must have one layout. knfsd also has ACLs and labels. */
    private static void attributes(Reply theirs, Reply mine) {
        int[] theirBits = theirs.words(theirs.word());
        int[] myBits = mine.words(mine.word());
        for (int i = 0; i < myBits.length; i++) {
            int has = i < theirBits.length ? theirBits[i] : 0;
            assertThat(myBits[i] & ~has).as("attributes that nobody asked for").isZero();
        }
        int theirLength = theirs.word();
        int myLength = mine.word();
        theirs.words(theirLength / 4);
        mine.words(myLength / 4);
    }

    private void learnHandle(byte[] theirs, byte[] mine) {
        ours.put(opaque(theirs), opaque(mine));
    }

    private void learn(int[] theirs, int[] mine) {
        ours.put(hex(theirs), hex(mine));
        if (theirs.length == 3) {
            // A client id without the sequence for its first CREATE_SESSION.
            ours.put(hex(Arrays.copyOf(theirs, 2)), hex(Arrays.copyOf(mine, 2)));
        }
    }

    private static String hex(int[] words) {
        StringBuilder hex = new StringBuilder();
        for (int word : words) {
            hex.append(HEX.toHexDigits(word));
        }
        return hex.toString();
    }

    private static String opaque(byte[] bytes) {
        byte[] padded = Arrays.copyOf(bytes, (bytes.length + 3) & -4);
        return HEX.toHexDigits(bytes.length) + HEX.formatHex(padded);
    }

    private byte[] withOurs(byte[] call) {
        String hex = HEX.formatHex(call);
        for (Map.Entry<String, String> entry : ours.entrySet()) {
            hex = hex.replace(entry.getKey(), entry.getValue());
        }
        byte[] patched = HEX.parseHex(hex);
        // Replaced by position, since knfsd's session ids begin like its stateids.
        int destroyed = argumentsOf(44, patched);
        if (destroyed > 0) {
            System.arraycopy(session, 0, patched, destroyed, 16);
        }
        // Calls that the capture does not have count in a slot too, so the slots are counted again here.
        int sequence = argumentsOf(53, patched);
        if (sequence > 0) {
            System.arraycopy(session, 0, patched, sequence, 16);
            int slot = ByteBuffer.wrap(patched).getInt(sequence + 20);
            ByteBuffer.wrap(patched).putInt(sequence + 16, seqids.merge(slot, 1, Integer::sum));
        }
        return patched;
    }

    private byte[] withOurSession(byte[] call) {
        int sequence = argumentsOf(53, call);
        if (sequence > 0 && call.length >= sequence + 24) {
            System.arraycopy(again.session, 0, call, sequence, 16);
            ByteBuffer.wrap(call).putInt(sequence + 16, ++again.seqids[1]).putInt(sequence + 20, 1);
        }
        return call;
    }

    /** Offset of the arguments of the first operation if it has that number, else 0. */
    private static int argumentsOf(int number, byte[] call) {
        ByteBuffer words = ByteBuffer.wrap(call);
        int body = bodyOffset(call);
        if (call.length < body + 16) {
            return 0;
        }
        int tag = words.getInt(body);
        int first = body + 4 + ((tag + 3) & -4) + 8;
        return call.length >= first + 4 && words.getInt(first) == number ? first + 4 : 0;
    }

    private static int bodyOffset(byte[] call) {
        ByteBuffer words = ByteBuffer.wrap(call);
        int verifier = 32 + words.getInt(28);
        return verifier + 8 + words.getInt(verifier + 4);
    }
}
