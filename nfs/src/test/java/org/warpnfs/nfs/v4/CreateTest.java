package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** CREATE, for all types except regular files, and READLINK. */
class CreateTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void create_directoryTwice_exists() {
        Ops mkdir = new Ops().data().makeDirectory("d", Fattr.mode(0755));

        assertThat(client.statusOf(mkdir)).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(mkdir)).isEqualTo(Nfs4Status.EXIST);
    }

    @Test
    void create_directoryWithAclWhereThereIsOne_existsAndChangesNothing() throws Exception {
        V4Client alice = V4Client.mounted(server, "alice", 1000);
        V4Client bob = V4Client.mounted(server, "bob", 1001);
        Caller caller = new Caller(1000, 100, List.of());
        FileHandle made = server.fs
                .makeDirectory(caller, server.fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0700))
                .handle();

        Ops make = new Ops().data().makeDirectory("d", Fattr.acl(Ace.allow(0x27, "EVERYONE@")));

        assertThat(bob.statusOf(make)).isEqualTo(Nfs4Status.EXIST);
        assertThat(alice.statusOf(make)).isEqualTo(Nfs4Status.EXIST);
        assertThat(server.fs.attributes(made).permissions()).isEqualTo(0700);
        assertThat(server.fs.acls(made)).isEqualTo(Acls.NONE);
    }

    @Test
    void readLink_ofASymlinkThatWasMade_hasItsText() {
        String text = "t".repeat(4000);
        client.run(new Ops().data().makeSymlink("s", text, Fattr.none()));

        Reply link = client.run(new Ops().data().lookup("s").op(OpCode.READLINK));

        link.afterFile().op(OpCode.READLINK);
        assertThat(link.string()).isEqualTo(text);
    }

    @Test
    void readLink_ofADirectoryInMinorVersion0_isInval() {
        V40Client old = V40Client.mounted(server, "old");

        assertThat(old.statusOf(new Ops().data().op(OpCode.READLINK))).isEqualTo(Nfs4Status.INVAL);
    }

    @Test
    void create_fifoAndDevice_areMade() {
        int characterDevice = 4;

        client.run(new Ops().data().makeFifo("fifo"));
        client.run(new Ops().data().make("null", Fattr.none(), characterDevice, 1, 3));

        client.run(new Ops().data().lookup("fifo"));
        client.run(new Ops().data().lookup("null"));
    }

    @Test
    void create_regularFile_isBadType() {
        int regularFile = 1;

        assertThat(client.statusOf(new Ops().data().make("reg", Fattr.none(), regularFile)))
                .isEqualTo(Nfs4Status.BADTYPE);
    }
}
