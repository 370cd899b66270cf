package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.Ace.D;
import static org.warpnfs.nfs.v4.Ace.OWNERS;
import static org.warpnfs.nfs.v4.Ace.R;
import static org.warpnfs.nfs.v4.Ace.TCY;
import static org.warpnfs.nfs.v4.Ace.WA;
import static org.warpnfs.nfs.v4.Ace.X;

import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** SETATTR of the acl attribute (RFC 8881, section 6.2), word by word. */
class SetAclTest {
    private static final int GROUP_FLAG = 0x40;

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "client", 0);

    @BeforeEach
    void newFile() {
        server.newFile("f", 0600, new byte[0]);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    private static Ops setAcl(Ops at, Ace... aces) {
        return at.setAttr(Fattr.acl(aces));
    }

    @Test
    void setAttr_acl_isToldInTheOrderOfItsJudgement() {
        Reply reply = client.run(setAcl(
                        file(),
                        Ace.allow(R | WA, "OWNER@"),
                        Ace.allow(R | X, "1234"),
                        Ace.allow(R, "GROUP@"),
                        new Ace(0, GROUP_FLAG, R | WA, "5678"),
                        Ace.allow(0, "EVERYONE@"))
                .getAttrs(Fattr.ACL, Fattr.MODE));

        reply.afterFile().op(OpCode.SETATTR);
        assertThat(reply.bitmap()).as("attributes set").isEqualTo(Fattr.mask(Fattr.ACL));
        reply.getAttrs(Fattr.ACL, Fattr.MODE);
        assertThat(reply.word()).as("entries").isEqualTo(7);
        assertThat(Ace.read(reply)).isEqualTo(Ace.deny(X, "OWNER@"));
        assertThat(Ace.read(reply)).isEqualTo(Ace.allow(R | WA | OWNERS | TCY, "OWNER@"));
        assertThat(Ace.read(reply)).isEqualTo(Ace.deny(WA, "1234"));
        assertThat(Ace.read(reply)).isEqualTo(Ace.allow(R | X | TCY, "1234"));
        assertThat(Ace.read(reply)).isEqualTo(Ace.allow(R | TCY, "GROUP@"));
        assertThat(Ace.read(reply)).isEqualTo(new Ace(0, GROUP_FLAG, R | WA | TCY, "5678"));
    }

    @Test
    void setAttr_acl_setsListModeAndChangeOfTheBackend() throws Exception {
        long change = server.fs.attributes(server.find("f")).changeId();

        client.run(setAcl(file(), Ace.allow(R | WA, "OWNER@"), Ace.allow(R, "1234")));

        TreeMap<Long, Integer> users = new TreeMap<>();
        users.put(1234L, 4);
        assertThat(server.acls("f")).isEqualTo(new Acls(new PosixAcl(6, users, 0, new TreeMap<>(), 4, 0), null));
        assertThat(server.permissions("f")).isEqualTo(0640);
        assertThat(server.fs.attributes(server.find("f")).changeId()).isGreaterThan(change);
    }

    @Test
    void setAttr_modeAndAcl_listHasTheLastWord() throws Exception {
        Fattr acl = Fattr.acl(Ace.allow(R, "OWNER@"), Ace.allow(R | X, "EVERYONE@"));

        client.run(file().setAttr(acl.and(Fattr.mode(04770))));

        assertThat(server.permissions("f")).isEqualTo(04555);
    }

    @Test
    void setAttr_aclOfADirectory_setsAndRemovesItsDefaultList() throws Exception {
        server.fs.makeDirectory(Caller.ROOT, server.fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0755));

        client.run(setAcl(
                new Ops().data().lookup("d"),
                Ace.allow(R | WA | D | X, "OWNER@"),
                Ace.inherited(R | WA | D | X, "OWNER@"),
                Ace.inherited(R | X, "GROUP@")));

        assertThat(server.acls("d")).isEqualTo(new Acls(null, PosixAcl.ofPermissions(0750)));
        assertThat(server.permissions("d")).isEqualTo(0700);

        client.run(setAcl(new Ops().data().lookup("d"), Ace.allow(R | WA | D | X, "OWNER@")));

        assertThat(server.acls("d")).isEqualTo(Acls.NONE);
    }

    private void assertRefused(Nfs4Status status, V4Client by, Ops ops) throws Exception {
        Reply reply = by.send(ops);
        assertThat(reply.status()).isEqualTo(status);
        int operations = reply.count() - 1;
        for (int i = 1; i < operations; i++) {
            reply.words(2);
        }
        reply.op(OpCode.SETATTR, status);
        assertThat(reply.word()).as("attributes set").isZero();
        reply.end();
        assertThat(server.acls("f")).isEqualTo(Acls.NONE);
        assertThat(server.permissions("f")).isEqualTo(0600);
    }

    @Test
    void setAttr_aclThatCannotBe_isAttrNotSupp() throws Exception {
        server.fs.makeSymlink(Caller.ROOT, server.fs.root(), FileName.of("s"), new byte[] {'x'}, AttributeChanges.NONE);
        Ace audit = new Ace(2, 0, R, "OWNER@");
        Ace inheritedByFiles = new Ace(0, 1, R, "OWNER@");

        assertRefused(Nfs4Status.ATTRNOTSUPP, client, setAcl(file(), audit));
        assertRefused(Nfs4Status.ATTRNOTSUPP, client, setAcl(file(), inheritedByFiles));
        assertRefused(Nfs4Status.ATTRNOTSUPP, client, setAcl(new Ops().data().lookup("s"), Ace.allow(R, "OWNER@")));
        assertRefused(Nfs4Status.ROFS, client, setAcl(new Ops().root(), Ace.allow(R, "EVERYONE@")));
    }

    @Test
    void setAttr_aclOfANameNobodyHas_isBadOwner() throws Exception {
        for (String who : List.of("bob@example.org", "", "4294967295", "4294967296", "-1", "INTERACTIVE@")) {
            assertRefused(Nfs4Status.BADOWNER, client, setAcl(file(), Ace.allow(R | WA | X, who)));
        }
    }

    @Test
    void setAttr_aclByAnother_isPerm() throws Exception {
        V4Client stranger = V4Client.mounted(server, "stranger", 4711);

        assertRefused(Nfs4Status.PERM, stranger, setAcl(file(), Ace.allow(R | WA | X, "EVERYONE@")));
    }

    @Test
    void setAttr_aclByAnotherWhoMayWrite_isPermAndChangesNothing() throws Exception {
        server.newFile("open", 0666, new byte[0]);
        V4Client stranger = V4Client.mounted(server, "stranger", 4711);

        Ops set = setAcl(new Ops().data().lookup("open"), Ace.allow(R | WA | X, "EVERYONE@"));

        assertThat(stranger.statusOf(set)).isEqualTo(Nfs4Status.PERM);
        assertThat(server.acls("open")).isEqualTo(Acls.NONE);
    }

    @Test
    void setAttr_aclInAReadOnlyExport_isRofs() throws Exception {
        Ops inReadOnly = new Ops().root().lookup("ro").lookup("f");

        assertRefused(Nfs4Status.ROFS, client, setAcl(inReadOnly, Ace.allow(R | WA | X, "EVERYONE@")));
    }

    /** A SETATTR of an acl of that length in bytes, with these words of it. */
    private static Ops setAclOfWords(int bytes, int... words) {
        return file().add(OpCode.SETATTR, c -> c.words(Ops.ANONYMOUS)
                .words(1, 1 << Fattr.ACL, bytes)
                .words(words));
    }

    @Test
    void setAttr_aclThatClaimsMoreThanIsThere_isRefused() throws Exception {
        for (int claimed : new int[] {4097, Integer.MAX_VALUE, -1}) {
            assertRefused(Nfs4Status.FBIG, client, setAclOfWords(4, claimed));
        }

        assertRefused(Nfs4Status.BADXDR, client, setAclOfWords(4, 4096));
        assertRefused(Nfs4Status.BADXDR, client, setAclOfWords(20, 1, 0, 0, R, Integer.MAX_VALUE));
    }

    @Test
    void setAttr_aclShorterThanItsLength_isBadXdr() throws Exception {
        int one = 4 + 16 + 8;

        Ops set = file().add(OpCode.SETATTR, c -> c.words(Ops.ANONYMOUS)
                .words(1, 1 << Fattr.ACL, one + 4)
                .words(1, 0, 0, R)
                .string("OWNER@"));

        assertRefused(Nfs4Status.BADXDR, client, set);
    }
}
