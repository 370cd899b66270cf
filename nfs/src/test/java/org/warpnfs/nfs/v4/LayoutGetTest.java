package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.state.file.LayoutCounts;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** LAYOUTGET: who gets a layout of which data servers. */
class LayoutGetTest extends LayoutBench {
    @Test
    void layoutGet_toRead_namesEachDataServerWithTheHandleOfTheFile() {
        V4Client client = client("a");
        int[] open = client.create("f");

        Reply reply = client.run(file().getFh().layoutGet(READ, open)).afterFile();
        byte[] handle = reply.getFh();
        LayoutSeen seen = LayoutSeen.of(reply, READ);

        assertThat(seen.devices()).containsExactlyInAnyOrder(one.id(), two.id());
        assertThat(seen.handle()).isEqualTo(handle);
        assertThat(seen.user()).isEqualTo("0");
        assertThat(seen.group()).isEqualTo("100");
        assertThat(seen.stateid()[0]).as("the first seqid").isEqualTo(1);
        assertThat(server.program().layoutCounts()).isEqualTo(new LayoutCounts(1, 1, 0, 0));
    }

    @Test
    void layoutGet_toWriteToo_namesOneDataServerUnderTheSameStateid() {
        V4Client client = client("a");
        int[] open = client.create("f");
        LayoutSeen read = get(client, READ, open);

        LayoutSeen both = get(client, RW, read.stateid());

        assertThat(both.devices()).containsExactly(read.devices().getFirst());
        assertThat(both.stateid()).containsExactly(2, read.stateid()[1], read.stateid()[2], read.stateid()[3]);
        assertThat(client.tested(both.stateid())).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().freeStateid(both.stateid()))).isEqualTo(Nfs4Status.LOCKS_HELD);
    }

    @Test
    void layoutGet_withTheCurrentStateid_isOfTheOpenBeforeIt() {
        V4Client client = client("a");
        client.create("f");

        Reply reply = client.run(new Ops().data().open("p", "f", 1, 0).layoutGet(READ, Ops.CURRENT))
                .afterData();
        reply.open();

        assertThat(LayoutSeen.of(reply, READ).stateid()[0]).isEqualTo(1);
    }

    @Test
    void layoutGet_toWriteOfAnOpenToRead_isOpenmode() {
        V4Client client = client("a");
        client.create("f");
        V4Client reader = client("b");
        int[] open = reader.open("o", "f", 1);

        assertThat(reader.statusOf(file().layoutGet(RW, open))).isEqualTo(Nfs4Status.OPENMODE);
        LayoutSeen read = get(reader, READ, open);
        assertThat(reader.statusOf(file().layoutGet(RW, read.stateid()))).isEqualTo(Nfs4Status.OPENMODE);
        assertThat(reader.statusOf(file().read(read.stateid(), 0, 1))).isEqualTo(Nfs4Status.BAD_STATEID);
    }

    @Test
    void layoutGet_ofWhatDoesNotExist_isRefused() {
        V4Client client = client("a");
        int[] open = client.create("f");

        assertThat(client.statusOf(file().layoutGet(1, READ, 0, -1, 0, open, 4096)))
                .isEqualTo(Nfs4Status.UNKNOWN_LAYOUTTYPE);
        assertThat(client.statusOf(file().layoutGet(4, ANY, 0, -1, 0, open, 4096)))
                .isEqualTo(Nfs4Status.BADIOMODE);
        assertThat(client.statusOf(file().layoutGet(4, READ, 0, 1, 2, open, 4096)))
                .isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(file().layoutGet(4, READ, -2, 5, 5, open, 4096)))
                .isEqualTo(Nfs4Status.INVAL);
        assertThat(client.statusOf(file().layoutGet(4, READ, 0, -1, 0, open, 100)))
                .isEqualTo(Nfs4Status.TOOSMALL);
        assertThat(client.statusOf(file().layoutGet(READ, Ops.ANONYMOUS))).isEqualTo(Nfs4Status.BAD_STATEID);
        assertThat(server.program().layoutCounts().held()).isZero();
    }

    @Test
    void layoutGet_ofACallerWithoutACallbackPath_isUnavailable() {
        V4Client client = V4Client.mounted(server, "a", 0);
        int[] open = client.create("f");

        assertThat(client.statusOf(file().layoutGet(READ, open))).isEqualTo(Nfs4Status.LAYOUTUNAVAILABLE);
    }

    @Test
    void layoutGet_ofAMemberOfASupplementaryGroup_isForThatGroup() {
        V4Client client = client("a");
        client.create("f");
        client.run(file().setAttr(Fattr.group("200")));
        client.run(file().setAttr(Fattr.mode(0060)));
        server.groups = new int[] {300, 200};
        V4Client other = V4Client.callable(server, "b", 1000);
        int[] open = other.open("o", "f", 3);

        LayoutSeen seen = get(other, RW, open);

        assertThat(seen.user()).isEqualTo("1000");
        assertThat(seen.group()).isEqualTo("200");

        server.groups = new int[] {};
        assertThat(other.statusOf(file().layoutGet(RW, seen.stateid())))
                .as("the data servers would refuse it")
                .isEqualTo(Nfs4Status.LAYOUTUNAVAILABLE);
    }
}
