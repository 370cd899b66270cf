package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** GETATTR, VERIFY and NVERIFY, and the supported attributes. */
class GetAttrTest {
    /** Words of a bitmap without time_access_set, time_modify_set and mode_umask, which can only be set. */
    private static final int READABLE_1 = -1 & ~(1 << 16 | 1 << 22);

    private static final int READABLE_2 = -1 & ~(1 << 17 | 1 << 20 | 1 << 21);

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void getAttr_ofNumbersThatNobodyKnows_leavesThemOut() {
        Reply reply = client.run(new Ops().data().getAttrs(1000));

        assertThat(reply.afterData().getAttrs()).as("bytes of values").isZero();
        reply.end();
    }

    @Test
    void getAttr_ofWhatIsOnlySet_isInval() {
        assertThat(client.statusOf(new Ops().data().getAttrs(Fattr.TIME_ACCESS_SET)))
                .isEqualTo(Nfs4Status.INVAL);
    }

    @Test
    void getAttr_ofAll_hasThoseSupported() {
        Reply reply = client.run(new Ops().data().getAttr(-1, READABLE_1, READABLE_2));
        reply.afterData().op(OpCode.GETATTR);
        int[] got = reply.bitmap();
        reply.words(reply.word() / 4);
        reply.end();

        Reply asked = client.run(new Ops().data().getAttrs(Fattr.SUPPORTED_ATTRS));
        asked.afterData().getAttrs(Fattr.SUPPORTED_ATTRS);
        int[] supported = asked.bitmap();

        assertThat(supported[0]).isEqualTo(got[0]);
        assertThat(supported[1] & READABLE_1).isEqualTo(got[1]);
        assertThat(supported[2] & READABLE_2).isEqualTo(got[2]);
    }

    @Test
    void supportedAttributes_inMinorVersion0_areThoseOfRfc7530() {
        V40Client old = V40Client.mounted(server, "old");

        Reply reply = old.run(new Ops().root().getAttrs(Fattr.SUPPORTED_ATTRS));

        reply.op(OpCode.PUTROOTFH);
        int bytes = reply.getAttrs(Fattr.SUPPORTED_ATTRS);
        int[] supported = reply.bitmap();
        assertThat(supported).hasSize(2);
        assertThat(bytes).isEqualTo(4 + 4 * supported.length);
        assertThat(supported[1] >>> (56 - 32)).as("nothing above 55").isZero();
        assertThat(old.statusOf(new Ops().root().getAttrs(Fattr.SUPPATTR_EXCLCREAT)))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void verify_ofASize_tellsWhetherItIsThat() {
        server.newFile("f", 0644, new byte[5]);
        Ops file = new Ops().data().lookup("f");

        assertThat(client.statusOf(file.verify(Fattr.size(5)).getFh())).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("f").verify(Fattr.size(6))))
                .isEqualTo(Nfs4Status.NOT_SAME);
        assertThat(client.statusOf(new Ops().data().lookup("f").nverify(Fattr.size(5))))
                .isEqualTo(Nfs4Status.SAME);
    }
}
