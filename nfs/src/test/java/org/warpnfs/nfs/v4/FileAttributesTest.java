package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Attributes, extended ones too, through the operations on them. */
class FileAttributesTest {
    private static final int[] ZERO = new int[4];

    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    private int[] create(String name) {
        return client.run(new Ops().data().openCreate("o", name, 3, 0))
                .afterData()
                .open();
    }

    @Test
    void getAttr_ofNumbersThatNobodyKnows_leavesThemOut() {
        int[] asked = new int[32];
        asked[1000 / 32] = 1 << 1000 % 32;
        Reply reply = client.run(new Ops().data().getAttr(asked));
        reply.afterData().op(OpCode.GETATTR);
        assertThat(reply.words(2)).containsExactly(0, 0);
        reply.end();
    }

    @Test
    void attributes_setAndVerified() {
        create("f");
        // size 5, mode 0600, owner 1000
        Ops set = new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(0, 0, 0, 0)
                .words(2, 1 << 4, 1 << 1 | 1 << 4, 20)
                .hyper(5)
                .words(0600)
                .string("1000"));
        Reply done = client.run(set);
        done.afterData().op(OpCode.LOOKUP);
        done.op(OpCode.SETATTR);
        assertThat(done.words(3)).containsExactly(2, 1 << 4, 1 << 1 | 1 << 4);
        assertThat(client.statusOf(new Ops()
                        .data()
                        .lookup("f")
                        .add(OpCode.VERIFY, c -> c.words(1, 1 << 4, 8).hyper(5))
                        .getFh()))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().data().lookup("f").add(OpCode.NVERIFY, c -> c.words(1, 1 << 4, 8)
                        .hyper(5))))
                .isEqualTo(Nfs4Status.SAME);
        assertThat(client.statusOf(new Ops().data().lookup("f").add(OpCode.VERIFY, c -> c.words(1, 1 << 4, 8)
                        .hyper(6))))
                .isEqualTo(Nfs4Status.NOT_SAME);
        Reply named = client.send(new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(ZERO)
                .words(2, 0, 1 << 4, 12)
                .string("joe@home")));
        assertThat(named.status()).isEqualTo(Nfs4Status.BADOWNER);
        named.afterData().op(OpCode.LOOKUP);
        named.op(OpCode.SETATTR, Nfs4Status.BADOWNER);
        assertThat(named.word()).as("nothing set").isZero();
        named.end();
        Reply nameless = client.send(new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(ZERO)
                .words(2, 0, 1 << 4, 4)
                .string("")));
        assertThat(nameless.status()).isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(new Ops().data().getAttr(0, 1 << 16))).isEqualTo(Nfs4Status.INVAL);
    }

    /**
     * To the kernel (uid_t) -1 says that the owner is to stay: what it is asked for would be answered as done and is
     * not.
     */
    @Test
    void setAttr_ownerOrGroupMinusOne_isBadOwnerAndChangesNothing() {
        server.newFile("f", 0666, new byte[0]);
        for (int bit : new int[] {1 << 4, 1 << 5}) {
            assertThat(client.statusOf(new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(ZERO)
                            .words(2, 0, bit, 16)
                            .string("4294967295"))))
                    .isEqualTo(Nfs4Status.BADOWNER);
            assertThat(client.statusOf(new Ops().data().lookup("f").add(OpCode.SETATTR, c -> c.words(ZERO)
                            .words(2, 0, bit, 16)
                            .string("4294967294"))))
                    .isEqualTo(Nfs4Status.OK);
        }
    }

    @Test
    void attributes_allAskedFor_areThoseSupported() {
        Reply reply = client.run(new Ops().data().getAttr(-1, -1 & ~(1 << 16 | 1 << 22), -1 & ~(1 << 17)));
        reply.afterData().op(OpCode.GETATTR);
        int words = reply.word();
        int[] bitmap = reply.words(words);
        reply.words(reply.word() / 4);
        reply.end();
        Reply supported = client.run(new Ops().data().getAttr(1));
        supported.afterData().op(OpCode.GETATTR);
        assertThat(supported.words(2)).containsExactly(1, 1);
        supported.word();
        int[] all = supported.words(supported.word());
        assertThat(all[0]).isEqualTo(bitmap[0]);
        assertThat(all[1] & ~(1 << 16 | 1 << 22)).isEqualTo(bitmap[1]);
        assertThat(all[2] & ~(1 << 17)).isEqualTo(bitmap[2]);
    }

    @Test
    void xattrs_setListedReadAndRemoved() {
        create("f");
        client.run(new Ops().data().lookup("f").add(OpCode.SETXATTR, c -> c.words(1)
                .string("colour")
                .string("red")));
        assertThat(client.statusOf(new Ops().data().lookup("f").add(OpCode.SETXATTR, c -> c.words(1)
                        .string("colour")
                        .string("x"))))
                .isEqualTo(Nfs4Status.EXIST);
        Reply got = client.run(new Ops().data().lookup("f").named(OpCode.GETXATTR, "colour"));
        got.afterData().op(OpCode.LOOKUP);
        got.op(OpCode.GETXATTR);
        assertThat(got.string()).isEqualTo("red");
        Reply listed = client.run(new Ops().data().lookup("f").add(OpCode.LISTXATTRS, c -> c.hyper(0)
                .words(1000)));
        listed.afterData().op(OpCode.LOOKUP);
        listed.op(OpCode.LISTXATTRS);
        listed.hyper();
        assertThat(listed.word()).isEqualTo(1);
        assertThat(listed.string()).isEqualTo("colour");
        assertThat(listed.bool()).isTrue();
        client.run(new Ops().data().lookup("f").named(OpCode.REMOVEXATTR, "colour"));
        assertThat(client.statusOf(new Ops().data().lookup("f").named(OpCode.GETXATTR, "colour")))
                .isEqualTo(Nfs4Status.NOXATTR);
    }
}
