package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** The acl attribute (RFC 8881, section 6.2), word by word. */
class AclTest {
    private static final int ACL = 1 << 12;
    private static final int ACLSUPPORT = 1 << 13;
    private static final int[] ZERO = {0, 0, 0, 0};

    /** Permissions of RFC 8881, section 6.2.1.3.1 in the letters of nfs4_acl(5). */
    private static final int TCY = 0x12_0080;

    private static final int R = 0x1;
    private static final int WA = 0x6;
    private static final int X = 0x20;
    private static final int D = 0x40;
    private static final int OWNERS = 0x4_0100;

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "client", 0);

    @AfterEach
    void stop() {
        server.close();
    }

    /** An nfsace4. */
    private record Ace(int type, int flag, int mask, String who) {
        int bytes() {
            return 16 + ((who.length() + 3) & ~3);
        }

        static Ace allow(int mask, String who) {
            return new Ace(0, 0, mask, who);
        }
    }

    private static Consumer<CallWriter> acl(Ace... aces) {
        return c -> {
            c.words(aces.length);
            for (Ace ace : aces) {
                c.words(ace.type, ace.flag, ace.mask).string(ace.who);
            }
        };
    }

    private static int bytes(Ace... aces) {
        int bytes = 4;
        for (Ace ace : aces) {
            bytes += ace.bytes();
        }
        return bytes;
    }

    private static Ops setAcl(Ops ops, Ace... aces) {
        return ops.add(OpCode.SETATTR, c -> {
            c.words(ZERO).words(1, ACL, bytes(aces));
            acl(aces).accept(c);
        });
    }

    private Acls acls(String... path) throws FsException {
        return server.fs.acls(find(path));
    }

    private FileHandle find(String... path) throws FsException {
        FileHandle at = server.fs.root();
        for (String name : path) {
            at = server.fs.lookup(Caller.ROOT, at, FileName.of(name)).handle();
        }
        return at;
    }

    private int mode(String... path) throws FsException {
        return server.fs.attributes(find(path)).permissions();
    }

    private static BitSet bitmap(Reply reply) {
        BitSet bits = new BitSet();
        int words = reply.word();
        for (int word = 0; word < words; word++) {
            int value = reply.word();
            for (int bit = 0; bit < 32; bit++) {
                bits.set(word * 32 + bit, (value >>> bit & 1) != 0);
            }
        }
        return bits;
    }

    private BitSet bitmapAttribute(Ops at, int... asked) {
        Reply reply = client.run(at.getAttr(asked));
        while (reply.word() != 9) {
            // an operation without a result before GETATTR: its status
            reply.word();
        }
        reply.word();
        bitmap(reply);
        reply.word();
        return bitmap(reply);
    }

    @Test
    void supportedAttributes_nameListsWhereTheBackendHasThem() {
        assertThat(bitmapAttribute(new Ops().data(), 1).stream().boxed()).contains(12, 13);
        assertThat(bitmapAttribute(new Ops().root(), 1).stream().boxed())
                .isNotEmpty()
                .doesNotContain(12, 13);
        assertThat(bitmapAttribute(new Ops().data(), 0, 0, 1 << 11).stream().boxed())
                .contains(12)
                .doesNotContain(13);
        assertThat(bitmapAttribute(new Ops().root(), 0, 0, 1 << 11).stream().boxed())
                .isNotEmpty()
                .doesNotContain(12);
    }

    @Test
    void getAttr_aclOfAFile_isWhatItsPermissionsSay() {
        server.newFile("f", 0604, new byte[0]);
        Reply reply = client.run(new Ops().data().lookup("f").getAttr(ACL | ACLSUPPORT));
        reply.afterData().op(OpCode.LOOKUP);
        reply.op(OpCode.GETATTR);
        assertThat(reply.words(2)).containsExactly(1, ACL | ACLSUPPORT);
        assertThat(reply.word()).as("length").isEqualTo(4 + 3 * 24 + 28 + 4);
        assertThat(reply.word()).as("entries").isEqualTo(4);
        assertAce(reply, Ace.allow(R | WA | OWNERS | TCY, "OWNER@"));
        assertAce(reply, Ace.allow(TCY, "GROUP@"));
        assertAce(reply, new Ace(1, 0, R, "GROUP@"));
        assertAce(reply, Ace.allow(R | TCY, "EVERYONE@"));
        assertThat(reply.word()).as("ALLOW and DENY").isEqualTo(3);
        reply.end();
    }

    private static void assertAce(Reply reply, Ace expected) {
        assertThat(new Ace(reply.word(), reply.word(), reply.word(), reply.string()))
                .isEqualTo(expected);
    }

    @Test
    void setAttr_acl_setsListModeAndChange() throws Exception {
        server.newFile("f", 0600, new byte[0]);
        Reply reply = client.run(setAcl(
                        new Ops().data().lookup("f"),
                        Ace.allow(R | WA, "OWNER@"),
                        Ace.allow(R | X, "1234"),
                        Ace.allow(R, "GROUP@"),
                        new Ace(0, 0x40, R | WA, "5678"),
                        Ace.allow(0, "EVERYONE@"))
                .getAttr(ACL, 1 << 1));
        reply.afterData().op(OpCode.LOOKUP);
        reply.op(OpCode.SETATTR);
        assertThat(reply.words(2)).as("attributes set").containsExactly(1, ACL);
        reply.op(OpCode.GETATTR);
        assertThat(reply.words(3)).containsExactly(2, ACL, 1 << 1);
        reply.word();
        assertThat(reply.word()).as("entries").isEqualTo(7);
        assertAce(reply, new Ace(1, 0, X, "OWNER@"));
        assertAce(reply, Ace.allow(R | WA | OWNERS | TCY, "OWNER@"));
        assertAce(reply, new Ace(1, 0, WA, "1234"));
        assertAce(reply, Ace.allow(R | X | TCY, "1234"));
        assertAce(reply, Ace.allow(R | TCY, "GROUP@"));
        assertAce(reply, new Ace(0, 0x40, R | WA | TCY, "5678"));
    }

    @Test
    void setAttr_aclAndGetAttr_agreeWithTheBackend() throws Exception {
        server.newFile("f", 0600, new byte[0]);
        long change = server.fs.attributes(find("f")).changeId();
        client.run(setAcl(new Ops().data().lookup("f"), Ace.allow(R | WA, "OWNER@"), Ace.allow(R, "1234")));
        TreeMap<Long, Integer> users = new TreeMap<>();
        users.put(1234L, 4);
        assertThat(acls("f")).isEqualTo(new Acls(new PosixAcl(6, users, 0, new TreeMap<>(), 4, 0), null));
        assertThat(mode("f")).isEqualTo(0640);
        assertThat(server.fs.attributes(find("f")).changeId()).isGreaterThan(change);
    }

    @Test
    void setAttr_modeAndAcl_listHasTheLastWord() throws Exception {
        server.newFile("f", 0600, new byte[0]);
        Ace[] aces = {Ace.allow(R, "OWNER@"), Ace.allow(R | X, "EVERYONE@")};
        client.run(new Ops().data().lookup("f").add(OpCode.SETATTR, c -> {
            c.words(ZERO).words(2, ACL, 1 << 1, bytes(aces) + 4);
            acl(aces).accept(c);
            c.words(04770);
        }));
        assertThat(mode("f")).isEqualTo(04555);
    }

    @Test
    void setAttr_aclOfADirectory_setsAndRemovesItsDefaultList() throws Exception {
        server.fs.makeDirectory(Caller.ROOT, server.fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0755));
        client.run(setAcl(
                new Ops().data().lookup("d"),
                Ace.allow(R | WA | D | X, "OWNER@"),
                new Ace(0, 11, R | WA | D | X, "OWNER@"),
                new Ace(0, 11, R | X, "GROUP@")));
        assertThat(acls("d")).isEqualTo(new Acls(null, PosixAcl.ofPermissions(0750)));
        assertThat(mode("d")).isEqualTo(0700);
        client.run(setAcl(new Ops().data().lookup("d"), Ace.allow(R | WA | D | X, "OWNER@")));
        assertThat(acls("d")).isEqualTo(Acls.NONE);
    }

    private void assertRefused(Nfs4Status status, V4Client by, Ops ops) {
        Reply reply = by.send(ops);
        assertThat(reply.status()).isEqualTo(status);
        int operations = reply.count() - 1;
        for (int i = 1; i < operations; i++) {
            reply.words(2);
        }
        reply.op(OpCode.SETATTR, status);
        assertThat(reply.word()).as("attributes set").isZero();
        reply.end();
    }

    @Test
    void setAttr_aclThatCannotBe_isRefusedAndNothingIsSet() throws Exception {
        server.newFile("f", 0600, new byte[0]);
        server.fs.makeSymlink(Caller.ROOT, server.fs.root(), FileName.of("s"), new byte[] {'x'}, AttributeChanges.NONE);
        Ops[] refused = {
            setAcl(new Ops().data().lookup("f"), new Ace(2, 0, R, "OWNER@")),
            setAcl(new Ops().data().lookup("f"), new Ace(0, 1, R, "OWNER@")),
            setAcl(new Ops().data().lookup("s"), Ace.allow(R, "OWNER@")),
        };
        for (Ops ops : refused) {
            assertRefused(Nfs4Status.ATTRNOTSUPP, client, ops);
        }
        for (String who : new String[] {"bob@example.org", "", "4294967295", "4294967296", "-1", "INTERACTIVE@"}) {
            assertRefused(
                    Nfs4Status.BADOWNER, client, setAcl(new Ops().data().lookup("f"), Ace.allow(R | WA | X, who)));
        }
        V4Client stranger = V4Client.mounted(server, "stranger", 4711);
        assertRefused(
                Nfs4Status.PERM, stranger, setAcl(new Ops().data().lookup("f"), Ace.allow(R | WA | X, "EVERYONE@")));
        assertRefused(
                Nfs4Status.ROFS,
                client,
                setAcl(new Ops().root().lookup("ro").lookup("f"), Ace.allow(R | WA | X, "EVERYONE@")));
        assertRefused(Nfs4Status.ATTRNOTSUPP, client, setAcl(new Ops().root(), Ace.allow(R, "EVERYONE@")));
        assertThat(acls("f")).isEqualTo(Acls.NONE);
        assertThat(mode("f")).isEqualTo(0600);
    }

    @Test
    void setAttr_aclThatClaimsMoreThanIsThere_isRefused() throws Exception {
        server.newFile("f", 0600, new byte[0]);
        for (int claimed : new int[] {4097, Integer.MAX_VALUE, -1}) {
            assertRefused(Nfs4Status.FBIG, client, new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(ZERO)
                    .words(1, ACL, 4, claimed)));
        }
        assertRefused(Nfs4Status.BADXDR, client, new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(ZERO)
                .words(1, ACL, 4, 4096)));
        assertRefused(Nfs4Status.BADXDR, client, new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(ZERO)
                .words(1, ACL, 20, 1, 0, 0, R, Integer.MAX_VALUE)));
        Ace ace = Ace.allow(R, "OWNER@");
        assertRefused(Nfs4Status.BADXDR, client, new Ops().data().lookup("f").add(OpCode.SETATTR, c -> {
                    c.words(ZERO).words(1, ACL, bytes(ace) + 4);
                    acl(ace).accept(c);
                }));
        assertThat(acls("f")).isEqualTo(Acls.NONE);
        assertThat(mode("f")).isEqualTo(0600);
    }

    @Test
    void open_createWithAcl_setsItAndSaysSo() throws Exception {
        Ace[] aces = {Ace.allow(R | WA, "OWNER@"), Ace.allow(R, "1234"), Ace.allow(0, "EVERYONE@")};
        Reply reply = client.run(new Ops().data().add(OpCode.OPEN, c -> {
            c.words(0, 1, 0).hyper(0).string("o").words(1, 1).words(2, ACL, 1 << 1, bytes(aces) + 4);
            acl(aces).accept(c);
            c.words(0666).words(0).string("f");
        }));
        reply.afterData().op(OpCode.OPEN);
        reply.words(4 + 5 + 1);
        assertThat(reply.words(3)).as("attributes set").containsExactly(2, ACL, 1 << 1);
        assertThat(acls("f").access().users()).containsOnlyKeys(1234L);
        assertThat(mode("f")).isEqualTo(0640);
        // What cannot be is found out before anything is made.
        Ace never = new Ace(3, 0, R, "OWNER@");
        assertThat(client.statusOf(new Ops().data().add(OpCode.OPEN, c -> {
                    c.words(0, 1, 0).hyper(0).string("o").words(1, 1).words(1, ACL, bytes(never));
                    acl(never).accept(c);
                    c.words(0).string("g");
                })))
                .isEqualTo(Nfs4Status.ATTRNOTSUPP);
        assertThat(client.statusOf(new Ops().data().lookup("g"))).isEqualTo(Nfs4Status.NOENT);
    }

    @Test
    void create_directoryWithAcl_setsBothLists() throws Exception {
        Ace[] aces = {Ace.allow(R | WA | D | X, "OWNER@"), new Ace(0, 11, R | X, "1234")};
        Reply reply = client.run(new Ops().data().add(OpCode.CREATE, c -> {
            c.words(2).string("d").words(1, ACL, bytes(aces));
            acl(aces).accept(c);
        }));
        reply.afterData().op(OpCode.CREATE);
        reply.words(5);
        assertThat(reply.words(2)).as("attributes set").containsExactly(1, ACL);
        assertThat(acls("d").access()).isNull();
        assertThat(acls("d").inherited().users()).containsOnlyKeys(1234L);
        assertThat(mode("d")).isEqualTo(0700);
        Reply link = client.run(new Ops().data().add(OpCode.CREATE, c -> {
            c.words(5).string("text").string("s").words(1, ACL, bytes(aces));
            acl(aces).accept(c);
        }));
        link.afterData().op(OpCode.CREATE);
        link.words(5);
        assertThat(link.word()).as("a symbolic link takes none").isZero();
    }

    /** RFC 8275: the client leaves the umask to the server, who alone knows whether it has a say. */
    @Test
    void create_modeUmask_isCutUnlessADefaultListIsInherited() throws Exception {
        PosixAcl template = PosixAcl.ofPermissions(0770);
        server.fs.makeDirectory(Caller.ROOT, server.fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0755));
        for (String name : List.of("cut", "whole")) {
            client.run(new Ops().data().lookup("d").add(OpCode.CREATE, c -> c.words(2)
                    .string(name + "d")
                    .words(3, 0, 0, 1 << 17, 8, 0777, 022)));
            client.run(new Ops().data().lookup("d").add(OpCode.OPEN, c -> c.words(0, 1, 0)
                    .hyper(0)
                    .string("o")
                    .words(1, 1)
                    .words(3, 0, 0, 1 << 17, 8, 0666, 027)
                    .words(0)
                    .string(name)));
            server.fs.setAcls(Caller.ROOT, find("d"), new AclChanges(Change.KEEP, new Change.Replace(template)));
        }
        assertThat(mode("d", "cutd")).isEqualTo(0755);
        assertThat(mode("d", "cut")).isEqualTo(0640);
        assertThat(mode("d", "wholed")).isEqualTo(0770);
        assertThat(mode("d", "whole")).isEqualTo(0660);
    }

    @Test
    void verify_ofAcl_tellsWhetherItIsTheSame() throws Exception {
        server.newFile("f", 0640, new byte[0]);
        Ace[] same = {
            Ace.allow(R | WA | OWNERS | TCY, "OWNER@"), Ace.allow(R | TCY, "GROUP@"), Ace.allow(TCY, "EVERYONE@")
        };
        assertThat(client.statusOf(new Ops().data().lookup("f").add(OpCode.VERIFY, c -> {
                    c.words(1, ACL, bytes(same));
                    acl(same).accept(c);
                })))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().root().add(OpCode.VERIFY, c -> {
                    c.words(1, ACL, bytes(same));
                    acl(same).accept(c);
                })))
                .isEqualTo(Nfs4Status.ATTRNOTSUPP);
        same[1] = Ace.allow(R | X | TCY, "GROUP@");
        assertThat(client.statusOf(new Ops().data().lookup("f").add(OpCode.VERIFY, c -> {
                    c.words(1, ACL, bytes(same));
                    acl(same).accept(c);
                })))
                .isEqualTo(Nfs4Status.NOT_SAME);
    }

    @Test
    void readDir_withAcl_hasThatOfEachEntry() throws Exception {
        server.newFile("f", 0600, new byte[0]);
        Reply reply = client.run(
                new Ops().data().add(OpCode.READDIR, c -> c.hyper(0).hyper(0).words(4096, 4096, 1, ACL)));
        reply.afterData().op(OpCode.READDIR);
        reply.hyper();
        assertThat(reply.bool()).isTrue();
        reply.hyper();
        assertThat(reply.string()).isEqualTo("f");
        assertThat(reply.words(2)).containsExactly(1, ACL);
        reply.word();
        assertThat(reply.word()).isEqualTo(3);
        assertAce(reply, Ace.allow(R | WA | OWNERS | TCY, "OWNER@"));
    }

    @Test
    void getAttr_aclBeyondTheSession_repTooBig() throws Exception {
        server.newFile("f", 0600, new byte[0]);
        TreeMap<Long, Integer> users = new TreeMap<>();
        for (long uid = 0; uid < 1020; uid++) {
            users.put(1_000_000_000 + uid, 4);
        }
        server.fs.setAcls(
                Caller.ROOT, find("f"), AclChanges.ofAccess(new PosixAcl(6, users, 7, new TreeMap<>(), 7, 7)));
        V4Client small = new V4Client(server, "small", 1, 0);
        small.cacheThis = false;
        small.readExchangeId(small.sendBare(new Ops().exchangeId(1, "small", 0)));
        Reply session = small.sendBare(new Ops().createSession(small.clientId, small.createSequence, 16384, 4096, 4));
        small.readSession(session);
        assertThat(small.statusOf(new Ops().reclaimComplete())).isEqualTo(Nfs4Status.OK);
        assertThat(small.statusOf(new Ops().data().lookup("f").getAttr(ACL))).isEqualTo(Nfs4Status.REP_TOO_BIG);
        client.cacheThis = false;
        assertThat(client.statusOf(new Ops().data().lookup("f").getAttr(ACL))).isEqualTo(Nfs4Status.OK);
    }
}
