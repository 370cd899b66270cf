package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.V40Client.Opened;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Names that are added, renamed and removed: LINK, RENAME and REMOVE. */
class LinkRenameRemoveTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void name_linkedThenMoved_isWhereItWasMoved() {
        client.create("f");
        client.run(new Ops().data().makeDirectory("d"));

        client.run(new Ops().data().lookup("f").saveFh().data().link("g"));
        client.run(new Ops().data().saveFh().data().lookup("d").rename("g", "h"));

        assertThat(client.statusOf(new Ops().data().lookup("d").lookup("h"))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("g"))).isEqualTo(Nfs4Status.NOENT);
    }

    @Test
    void remove_directoryWithAFile_isNotEmptyUntilThatIsGone() {
        client.run(new Ops().data().makeDirectory("d"));
        client.run(new Ops().data().lookup("d").openCreate("o", "h", 3, 0));

        assertThat(client.statusOf(new Ops().data().remove("d"))).isEqualTo(Nfs4Status.NOTEMPTY);

        client.run(new Ops().data().lookup("d").remove("h"));
        assertThat(client.statusOf(new Ops().data().remove("d"))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void renameAndLink_toAnotherExport_isXdev() {
        client.create("f");

        assertThat(client.statusOf(new Ops().data().saveFh().root().lookup("ro").rename("f", "x")))
                .isEqualTo(Nfs4Status.XDEV);
        assertThat(client.statusOf(new Ops()
                        .data()
                        .lookup("f")
                        .saveFh()
                        .root()
                        .lookup("squash")
                        .link("x")))
                .isEqualTo(Nfs4Status.XDEV);
    }

    @Test
    void remove_inAReadOnlyExport_isRofs() {
        client.create("f");

        assertThat(client.statusOf(new Ops().root().lookup("ro").remove("f"))).isEqualTo(Nfs4Status.ROFS);
    }

    @Test
    void remove_beneathAnOpenOfMinorVersion0_leavesItToBeClosed() {
        V40Client old = V40Client.mounted(server, "old");
        Opened open = old.opened("o", "f", 3);

        old.run(new Ops().data().remove("f"));

        old.run(V40Client.close(open.handle(), old.openSeqid, open.stateid()));
    }
}
