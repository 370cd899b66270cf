package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Operations that set the current filehandle: LOOKUP and LOOKUPP, PUTFH and RESTOREFH; and SECINFO. */
class LookupTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void lookup_hostileName_hasItsStatus() {
        assertThat(client.statusOf(new Ops().data().lookup(""))).isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(new Ops().data().lookup("."))).isEqualTo(Nfs4Status.BADNAME);
        assertThat(client.statusOf(new Ops().data().lookup(".."))).isEqualTo(Nfs4Status.BADNAME);
        assertThat(client.statusOf(new Ops().data().lookup("a/b"))).isEqualTo(Nfs4Status.BADCHAR);
        assertThat(client.statusOf(new Ops().data().lookup("x".repeat(256)))).isEqualTo(Nfs4Status.NAMETOOLONG);
        assertThat(client.statusOf(new Ops().data().lookup("x".repeat(5000)))).isEqualTo(Nfs4Status.BADXDR);
    }

    @Test
    void lookup_beneathWhatIsNoDirectory_saysWhatItIs() {
        client.create("f");
        client.run(new Ops().data().makeSymlink("s", "text", Fattr.none()));

        assertThat(client.statusOf(new Ops().data().lookup("s").lookup("x"))).isEqualTo(Nfs4Status.SYMLINK);
        assertThat(client.statusOf(new Ops().data().lookup("f").lookup("x"))).isEqualTo(Nfs4Status.NOTDIR);
    }

    @Test
    void lookupParent_ofAnExport_isTheVirtualDirectoryAbove() {
        Reply up = client.run(
                new Ops().root().getFh().lookup("data").op(OpCode.LOOKUPP).getFh());

        up.op(OpCode.PUTROOTFH);
        byte[] root = up.getFh();
        up.op(OpCode.LOOKUP);
        up.op(OpCode.LOOKUPP);
        assertThat(up.getFh()).isEqualTo(root);
    }

    @Test
    void lookupParent_ofTheRoot_noEnt() {
        assertThat(client.statusOf(new Ops().root().op(OpCode.LOOKUPP))).isEqualTo(Nfs4Status.NOENT);
    }

    @Test
    void putFh_ofWhatIsNoHandle_isBadHandle() {
        byte[] handle = "not a handle".getBytes(StandardCharsets.US_ASCII);

        assertThat(client.statusOf(new Ops().putFh(handle))).isEqualTo(Nfs4Status.BADHANDLE);
    }

    @Test
    void operation_withoutACurrentFilehandle_isNoFileHandle() {
        for (OpCode code : new OpCode[] {OpCode.GETFH, OpCode.LOOKUPP, OpCode.READLINK, OpCode.SAVEFH}) {
            assertThat(client.statusOf(new Ops().op(code))).as("%s", code).isEqualTo(Nfs4Status.NOFILEHANDLE);
        }
    }

    @Test
    void restoreFh_withNothingSaved_hasAnErrorOfItsOwnInMinorVersion0() {
        V40Client old = V40Client.mounted(server, "old");

        assertThat(old.statusOf(new Ops().root().op(OpCode.RESTOREFH))).isEqualTo(Nfs4Status.RESTOREFH);
        assertThat(client.statusOf(new Ops().root().op(OpCode.RESTOREFH))).isEqualTo(Nfs4Status.NOFILEHANDLE);
    }

    @Test
    void secInfo_inMinorVersion0_keepsTheCurrentFilehandle() {
        V40Client old = V40Client.mounted(server, "old");
        old.opened("o", "f", 3);

        Reply reply = old.run(new Ops().data().named(OpCode.SECINFO, "f").getFh());

        assertThat(reply.count()).isEqualTo(4);
    }
}
