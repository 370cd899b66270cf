package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** SETXATTR, GETXATTR, LISTXATTRS and REMOVEXATTR (RFC 8276, section 8.4). */
class XattrTest {
    private static final int CREATE = 1;

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @BeforeEach
    void fileWithAColour() {
        client.create("f");
        client.run(file().setXattr(CREATE, "colour", "red"));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops file() {
        return new Ops().data().lookup("f");
    }

    @Test
    void setXattr_creatingWhatIsThere_exists() {
        assertThat(client.statusOf(file().setXattr(CREATE, "colour", "x"))).isEqualTo(Nfs4Status.EXIST);
    }

    @Test
    void getXattr_ofWhatWasSet_hasItsValue() {
        Reply got = client.run(file().named(OpCode.GETXATTR, "colour"));

        got.afterFile().op(OpCode.GETXATTR);
        assertThat(got.string()).isEqualTo("red");
    }

    @Test
    void listXattrs_ofWhatWasSet_hasItsName() {
        Reply listed = client.run(file().listXattrs(0, 1000));

        listed.afterFile().op(OpCode.LISTXATTRS);
        listed.hyper();
        assertThat(listed.word()).as("names").isEqualTo(1);
        assertThat(listed.string()).isEqualTo("colour");
        assertThat(listed.bool()).as("eof").isTrue();
    }

    @Test
    void getXattr_ofWhatWasRemoved_isNoXattr() {
        client.run(file().named(OpCode.REMOVEXATTR, "colour"));

        assertThat(client.statusOf(file().named(OpCode.GETXATTR, "colour"))).isEqualTo(Nfs4Status.NOXATTR);
    }
}
