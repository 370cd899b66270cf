package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.Ace.D;
import static org.warpnfs.nfs.v4.Ace.R;
import static org.warpnfs.nfs.v4.Ace.WA;
import static org.warpnfs.nfs.v4.Ace.X;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AclChanges;
import org.warpnfs.fs.spi.AclChanges.Change;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.PosixAcl;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** The acl and mode_umask attributes in an OPEN or CREATE that creates a file. */
class AclOfNewFileTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "client", 0);

    @AfterEach
    void stop() {
        server.close();
    }

    private static Ops openGuarded(Ops at, String name, Fattr attributes) {
        return at.open("o", name, 1, 0, CreateHow.guarded(attributes));
    }

    @Test
    void open_createWithAcl_setsItAndSaysSo() throws Exception {
        Fattr acl = Fattr.acl(Ace.allow(R | WA, "OWNER@"), Ace.allow(R, "1234"), Ace.allow(0, "EVERYONE@"));

        Reply reply = client.run(openGuarded(new Ops().data(), "f", acl.and(Fattr.mode(0666))));

        reply.afterData().op(OpCode.OPEN);
        reply.words(4 + 5 + 1);
        assertThat(reply.bitmap()).as("attributes set").isEqualTo(Fattr.mask(Fattr.ACL, Fattr.MODE));
        assertThat(server.acls("f").access().users()).containsOnlyKeys(1234L);
        assertThat(server.permissions("f")).isEqualTo(0640);
    }

    @Test
    void open_createWithAclThatCannotBe_makesNothing() {
        Fattr alarm = Fattr.acl(new Ace(3, 0, R, "OWNER@"));

        assertThat(client.statusOf(openGuarded(new Ops().data(), "g", alarm))).isEqualTo(Nfs4Status.ATTRNOTSUPP);

        assertThat(client.statusOf(new Ops().data().lookup("g"))).isEqualTo(Nfs4Status.NOENT);
    }

    @Test
    void create_directoryWithAcl_setsBothLists() throws Exception {
        Fattr acl = Fattr.acl(Ace.allow(R | WA | D | X, "OWNER@"), Ace.inherited(R | X, "1234"));

        Reply reply = client.run(new Ops().data().makeDirectory("d", acl));

        reply.afterData().op(OpCode.CREATE);
        reply.words(5);
        assertThat(reply.bitmap()).as("attributes set").isEqualTo(Fattr.mask(Fattr.ACL));
        assertThat(server.acls("d").access()).isNull();
        assertThat(server.acls("d").inherited().users()).containsOnlyKeys(1234L);
        assertThat(server.permissions("d")).isEqualTo(0700);
    }

    @Test
    void create_symlinkWithAcl_takesNone() {
        Fattr acl = Fattr.acl(Ace.allow(R | WA | D | X, "OWNER@"), Ace.inherited(R | X, "1234"));

        Reply link = client.run(new Ops().data().makeSymlink("s", "text", acl));

        link.afterData().op(OpCode.CREATE);
        link.words(5);
        assertThat(link.word()).as("attributes set").isZero();
    }

    /** RFC 8275: the client leaves the umask to the server, since only the server knows whether it has an effect. */
    @Test
    void create_modeUmask_isCutUnlessADefaultListIsInherited() throws Exception {
        server.fs.makeDirectory(Caller.ROOT, server.fs.root(), FileName.of("d"), AttributeChanges.ofPermissions(0755));
        AclChanges inherit = new AclChanges(Change.KEEP, new Change.Replace(PosixAcl.ofPermissions(0770)));

        for (String name : List.of("cut", "whole")) {
            client.run(new Ops().data().lookup("d").makeDirectory(name + "d", Fattr.modeUmask(0777, 022)));
            client.run(openGuarded(new Ops().data().lookup("d"), name, Fattr.modeUmask(0666, 027)));
            server.fs.setAcls(Caller.ROOT, server.find("d"), inherit);
        }

        assertThat(server.permissions("d", "cutd")).isEqualTo(0755);
        assertThat(server.permissions("d", "cut")).isEqualTo(0640);
        assertThat(server.permissions("d", "wholed")).isEqualTo(0770);
        assertThat(server.permissions("d", "whole")).isEqualTo(0660);
    }
}
