package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * Each attribute in each operation that takes attributes, in each minor version. What is expected follows from the
 * column "Acc" of RFC 7530, section 5.6, RFC 8881, section 5.6, RFC 7862, section 12.2, RFC 8275, RFC 8276 and RFC 9754
 * and from what the server says it supports.
 */
class AttributeTableTest {
    private static final int HIGHEST = 86;
    private static final int TIME_ACCESS = 47;
    private static final int TIME_CREATE = 50;
    private static final int TIME_MODIFY = 53;
    /**
     * size, acl, archive, hidden, mimetype, mode, owner, owner_group, system, time_backup and time_create; then 4.1.
     */
    private static final BitSet READ_WRITE = bits(4, 12, 14, 25, 32, 33, 36, 37, 46, 49, 50, 58, 59, 73, 80);
    /** time_access_set and time_modify_set; then those of 4.1 and 4.2. */
    private static final BitSet WRITE_ONLY = bits(48, 54, 63, 70, 72, 74, 81, 84, 85);

    private final V4Server server = new V4Server();
    private int files;

    @AfterEach
    void close() {
        server.close();
    }

    private static BitSet bits(int... numbers) {
        BitSet bits = new BitSet();
        Arrays.stream(numbers).forEach(bits::set);
        return bits;
    }

    private static boolean isWritable(int number) {
        return READ_WRITE.get(number) || WRITE_ONLY.get(number);
    }

    /** A client of a minor version: how it sends, and how it opens. */
    private final class Peer {
        private final int minorVersion;
        private final V4Client sessions;
        private final V40Client old;

        Peer(int minorVersion) {
            this.minorVersion = minorVersion;
            old = minorVersion == 0 ? V40Client.mounted(server, "c") : null;
            sessions = minorVersion == 0 ? null : new V4Client(server, "c", minorVersion, 0);
            if (sessions != null) {
                sessions.connect();
                sessions.run(new Ops().reclaimComplete());
            }
        }

        Reply send(Ops ops) {
            return old != null ? old.send(ops) : sessions.send(ops);
        }

        /** Each OPEN has an owner of its own, so that no sequence of NFSv4.0 matters. */
        Ops open(CreateHow how) {
            String name = "new" + files++;
            return new Ops().data().open(1, 2, 0, old == null ? 0 : old.clientId, "o" + name, how, name);
        }

        Ops make(Fattr attributes) {
            return new Ops().data().makeDirectory("new" + files++, attributes);
        }

        BitSet bitmapOf(int number) {
            Reply reply = send(new Ops().data().getAttrs(number));
            reply.afterData().getAttrs(number);
            return bitmap(reply);
        }
    }

    private static BitSet bitmap(Reply reply) {
        int[] words = reply.bitmap();
        long[] longs = new long[words.length / 2 + 1];
        for (int i = 0; i < words.length; i++) {
            longs[i / 2] |= Integer.toUnsignedLong(words[i]) << (32 * (i % 2));
        }
        return BitSet.valueOf(longs);
    }

    /** A valid value to be set. */
    private static Fattr value(int number) {
        CallWriter value = new CallWriter();
        return Fattr.none()
                .with(
                        number,
                        switch (number) {
                            case 4 -> value.hyper(7);
                            case 12, 58, 59 -> value.words(1, 0, 0, 0x27).string("EVERYONE@");
                            case 14, 25, 46 -> value.words(1);
                            case 32 -> value.string("text/plain");
                            case 33 -> value.words(0750);
                            case 36, 37 -> value.string("1234");
                            case 48, 54 -> value.words(1).hyper(86_400).words(5);
                            case 49, 50, 84, 85 -> value.hyper(86_400).words(5);
                            case 81 -> value.words(0777, 027);
                            default -> value.words(0);
                        });
    }

    private void check(
            List<String> wrong, int minor, int number, String operation, Supplier<String> answer, String due) {
        String got = answer.get();
        if (!got.matches(due)) {
            wrong.add("4." + minor + " attribute " + number + " " + operation + ": " + got + ", not " + due);
        }
    }

    private static String set(Reply reply) {
        return reply.status() + " " + bitmap(reply);
    }

    private static String afterOpen(Reply reply) {
        if (reply.status() != Nfs4Status.OK) {
            return reply.status().toString();
        }
        reply.afterData().op(OpCode.OPEN);
        reply.stateid();
        reply.words(5);
        reply.word();
        return set(reply);
    }

    private static String afterCreate(Reply reply) {
        if (reply.status() != Nfs4Status.OK) {
            return reply.status().toString();
        }
        reply.afterData().op(OpCode.CREATE);
        reply.words(5);
        return set(reply);
    }

    /** The attributes that the object has after those numbered {@code set} were reported as set. */
    private static String reported(int... set) {
        return "OK \\Q" + bits(set) + "\\E";
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void attribute_inEachOperation_isReadOrSetOrRefusedAsItsColumnSays(int minorVersion) {
        Peer peer = new Peer(minorVersion);
        BitSet supported = peer.bitmapOf(Fattr.SUPPORTED_ATTRS);
        BitSet exclusive = minorVersion == 0 ? new BitSet() : peer.bitmapOf(Fattr.SUPPATTR_EXCLCREAT);
        assertThat(exclusive.stream().allMatch(supported::get)).isTrue();
        assertThat(exclusive.stream().allMatch(AttributeTableTest::isWritable)).isTrue();
        List<String> wrong = new ArrayList<>();
        for (int number = 0; number <= HIGHEST + 1; number++) {
            boolean known = supported.get(number);
            read(wrong, peer, number, known);
            change(wrong, peer, number, known);
            create(wrong, peer, number, known, exclusive.get(number));
        }

        assertThat(wrong).isEmpty();
    }

    private void read(List<String> wrong, Peer peer, int number, boolean known) {
        int minor = peer.minorVersion;
        server.newFile("r", 0644, new byte[3]);
        Reply got = peer.send(new Ops().data().lookup("r").getAttrs(number));
        if (!known) {
            check(wrong, minor, number, "GETATTR", () -> got.status().toString(), "OK|INVAL");
            if (got.status() == Nfs4Status.OK) {
                got.afterFile().op(OpCode.GETATTR);
                assertThat(bitmap(got)).as("unsupported attribute %s", number).isEqualTo(new BitSet());
            }
        }
        String refused = known && WRITE_ONLY.get(number) ? "INVAL" : known ? "OK" : "OK|INVAL";
        check(wrong, minor, number, "GETATTR", () -> got.status().toString(), refused);
        Fattr same = value(number);
        if (known && got.status() == Nfs4Status.OK) {
            got.afterFile().op(OpCode.GETATTR);
            assertThat(bitmap(got)).isEqualTo(bits(number));
            same = Fattr.none().with(number, new CallWriter().words(got.words(got.word() / 4)));
        }
        Fattr compared = same;
        boolean comparable = known && !WRITE_ONLY.get(number) && number != Fattr.RDATTR_ERROR;
        String no = known || number == Fattr.RDATTR_ERROR ? "INVAL" : "ATTRNOTSUPP";
        check(
                wrong,
                minor,
                number,
                "VERIFY",
                () -> peer.send(new Ops().data().lookup("r").verify(compared))
                        .status()
                        .toString(),
                comparable ? "OK" : no);
        check(
                wrong,
                minor,
                number,
                "NVERIFY",
                () -> peer.send(new Ops().data().lookup("r").nverify(compared))
                        .status()
                        .toString(),
                comparable ? "SAME" : no);
        peer.send(new Ops().data().remove("r"));
    }

    private void change(List<String> wrong, Peer peer, int number, boolean known) {
        server.newFile("s", 0644, new byte[3]);
        Reply reply = peer.send(new Ops().data().lookup("s").setAttr(value(number)));
        String due = !known
                ? "ATTRNOTSUPP \\{\\}"
                : switch (number) {
                    case TIME_CREATE -> reported();
                    // Only together with a mode, and only of a new file (RFC 8275, section 5).
                    case Fattr.MODE_UMASK -> "INVAL \\{\\}";
                    // Only under a delegation (RFC 9754, section 5).
                    case 84, 85 -> "(INVAL|BAD_STATEID) \\{\\}";
                    default -> isWritable(number) ? reported(number) : "INVAL \\{\\}";
                };
        reply.afterFile().op(OpCode.SETATTR, reply.status());
        check(wrong, peer.minorVersion, number, "SETATTR", () -> set(reply), due);
        if (reply.status() == Nfs4Status.OK && READ_WRITE.get(number) && number != TIME_CREATE && number != Fattr.ACL) {
            check(
                    wrong,
                    peer.minorVersion,
                    number,
                    "SETATTR, then VERIFY",
                    () -> peer.send(new Ops().data().lookup("s").verify(value(number)))
                            .status()
                            .toString(),
                    "OK");
        }
        peer.send(new Ops().data().remove("s"));
    }

    private void create(List<String> wrong, Peer peer, int number, boolean known, boolean exclusive) {
        int minor = peer.minorVersion;
        Fattr value = value(number);
        boolean settable = isWritable(number) && number != 84 && number != 85;
        String due =
                !known ? "ATTRNOTSUPP" : !settable ? "INVAL" : number == TIME_CREATE ? reported() : reported(number);
        check(
                wrong,
                minor,
                number,
                "UNCHECKED",
                () -> afterOpen(peer.send(peer.open(CreateHow.unchecked(value)))),
                due);
        check(wrong, minor, number, "GUARDED", () -> afterOpen(peer.send(peer.open(CreateHow.guarded(value)))), due);
        String ofDirectory = number == Fattr.SIZE ? "INVAL|" + reported() : due;
        check(wrong, minor, number, "CREATE", () -> afterCreate(peer.send(peer.make(value))), ofDirectory);
        if (minor == 0) {
            return;
        }
        String dueExclusive = !known
                ? "ATTRNOTSUPP"
                : !exclusive
                        ? "INVAL"
                        : number == TIME_CREATE
                                ? reported(TIME_ACCESS, TIME_MODIFY)
                                : reported(number, TIME_ACCESS, TIME_MODIFY);
        check(
                wrong,
                minor,
                number,
                "EXCLUSIVE4_1",
                () -> afterOpen(peer.send(peer.open(CreateHow.exclusive41(number, value)))),
                dueExclusive);
    }
}
