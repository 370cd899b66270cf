package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.Ace.OWNERS;
import static org.warpnfs.nfs.v4.Ace.R;
import static org.warpnfs.nfs.v4.Ace.TCY;
import static org.warpnfs.nfs.v4.Ace.WA;
import static org.warpnfs.nfs.v4.Ace.X;

import java.util.BitSet;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** The acl attribute (RFC 8881, section 6.2) in GETATTR, VERIFY and READDIR. */
class AclTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "client", 0);

    @AfterEach
    void stop() {
        server.close();
    }

    /** The attributes in an attribute whose value is a bitmap. */
    private BitSet inSupportedAttrs(Reply reply) {
        return bits(reply, Fattr.SUPPORTED_ATTRS);
    }

    private BitSet inSuppattrExclcreat(Reply reply) {
        return bits(reply, Fattr.SUPPATTR_EXCLCREAT);
    }

    private static BitSet bits(Reply reply, int attribute) {
        reply.getAttrs(attribute);
        BitSet bits = new BitSet();
        int[] words = reply.bitmap();
        for (int bit = 0; bit < words.length * 32; bit++) {
            bits.set(bit, (words[bit / 32] >>> bit % 32 & 1) != 0);
        }
        return bits;
    }

    private Reply ofExport(int attribute) {
        return client.run(new Ops().data().getAttrs(attribute)).afterData();
    }

    private Reply ofRoot(int attribute) {
        Reply reply = client.run(new Ops().root().getAttrs(attribute));
        reply.op(OpCode.PUTROOTFH);
        return reply;
    }

    @Test
    void supportedAttributes_nameLists_alsoInTheVirtualRootOfAnExportThatHasThem() {
        BitSet ofExport = inSupportedAttrs(ofExport(Fattr.SUPPORTED_ATTRS));
        BitSet ofRoot = inSupportedAttrs(ofRoot(Fattr.SUPPORTED_ATTRS));

        assertThat(ofExport.stream().boxed()).contains(Fattr.ACL, Fattr.ACLSUPPORT);
        assertThat(ofRoot.stream().boxed()).contains(Fattr.ACL, Fattr.ACLSUPPORT);
    }

    @Test
    void attributesOfAnExclusiveCreate_nameLists_alsoInTheVirtualRootOfAnExportThatHasThem() {
        BitSet ofExport = inSuppattrExclcreat(ofExport(Fattr.SUPPATTR_EXCLCREAT));
        BitSet ofRoot = inSuppattrExclcreat(ofRoot(Fattr.SUPPATTR_EXCLCREAT));

        assertThat(ofExport.stream().boxed()).contains(Fattr.ACL).doesNotContain(Fattr.ACLSUPPORT);
        assertThat(ofRoot.stream().boxed()).contains(Fattr.ACL).doesNotContain(Fattr.ACLSUPPORT);
    }

    @Test
    void getAttr_aclOfAFile_isWhatItsPermissionsSay() {
        server.newFile("f", 0604, new byte[0]);

        Reply reply = client.run(new Ops().data().lookup("f").getAttrs(Fattr.ACL, Fattr.ACLSUPPORT));

        assertThat(reply.afterFile().getAttrs(Fattr.ACL, Fattr.ACLSUPPORT)).isEqualTo(4 + 3 * 24 + 28 + 4);
        assertThat(reply.word()).as("entries").isEqualTo(4);
        assertThat(Ace.read(reply)).isEqualTo(Ace.allow(R | WA | OWNERS | TCY, "OWNER@"));
        assertThat(Ace.read(reply)).isEqualTo(Ace.allow(TCY, "GROUP@"));
        assertThat(Ace.read(reply)).isEqualTo(Ace.deny(R, "GROUP@"));
        assertThat(Ace.read(reply)).isEqualTo(Ace.allow(R | TCY, "EVERYONE@"));
        assertThat(reply.word()).as("ALLOW and DENY").isEqualTo(3);
        reply.end();
    }

    @Test
    void getAttr_aclBeyondTheSession_repTooBig() throws Exception {
        server.newFile("f", 0600, new byte[0]);
        TreeMap<Long, Integer> users = new TreeMap<>();
        for (long uid = 0; uid < 1020; uid++) {
            users.put(1_000_000_000 + uid, 4);
        }
        PosixAcl large = new PosixAcl(6, users, 7, new TreeMap<>(), 7, 7);
        server.fs.setAcls(Caller.ROOT, server.find("f"), AclChanges.ofAccess(large));
        V4Client small = V4Client.identified(server, "small", 1);
        small.cacheThis = false;
        small.createSession(16384, 4096);
        small.run(new Ops().reclaimComplete());
        client.cacheThis = false;

        Ops getAcl = new Ops().data().lookup("f").getAttrs(Fattr.ACL);

        assertThat(small.statusOf(getAcl)).isEqualTo(Nfs4Status.REP_TOO_BIG);
        assertThat(client.statusOf(getAcl)).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void verify_ofAcl_tellsWhetherItIsTheSame() {
        server.newFile("f", 0640, new byte[0]);
        Ace owner = Ace.allow(R | WA | OWNERS | TCY, "OWNER@");
        Ace everyone = Ace.allow(TCY, "EVERYONE@");
        Fattr same = Fattr.acl(owner, Ace.allow(R | TCY, "GROUP@"), everyone);
        Fattr another = Fattr.acl(owner, Ace.allow(R | X | TCY, "GROUP@"), everyone);

        assertThat(client.statusOf(new Ops().data().lookup("f").verify(same))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().root().verify(same))).isEqualTo(Nfs4Status.NOT_SAME);
        assertThat(client.statusOf(new Ops().data().lookup("f").verify(another)))
                .isEqualTo(Nfs4Status.NOT_SAME);
    }

    @Test
    void readDir_withAcl_hasThatOfEachEntry() {
        server.newFile("f", 0600, new byte[0]);

        Reply reply = client.run(new Ops().data().readDir(0, 4096, 4096, Fattr.ACL));

        reply.afterData().op(OpCode.READDIR);
        reply.hyper();
        assertThat(reply.bool()).as("an entry").isTrue();
        reply.hyper();
        assertThat(reply.string()).isEqualTo("f");
        reply.attributes(Fattr.ACL);
        assertThat(reply.word()).as("entries").isEqualTo(3);
        assertThat(Ace.read(reply)).isEqualTo(Ace.allow(R | WA | OWNERS | TCY, "OWNER@"));
    }
}
