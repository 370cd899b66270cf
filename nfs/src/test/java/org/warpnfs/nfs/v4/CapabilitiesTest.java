package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.testing.LimitedFileSystem;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** What a client of a backend with few capabilities is told: attributes, and proper errors. */
class CapabilitiesTest {
    private static final Set<Capability> ALL_BUT_WRITE = EnumSet.complementOf(EnumSet.of(Capability.WRITE));

    private LimitedFileSystem limited;
    private V4Server server;
    private V4Client client;

    @BeforeEach
    void start() {
        server = V4Server.through(files -> {
            limited = new LimitedFileSystem(files);
            return limited.fileSystem();
        });
        server.newFile("f", 0666, "hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        client = V4Client.mounted(server, "c", 0);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops data() {
        return new Ops().data();
    }

    private static Ops file() {
        return data().lookup("f");
    }

    /** Reply with the attributes of the root of the export, after their bitmap and length. */
    private Reply attributes(int... numbers) {
        Reply reply = client.run(data().getAttrs(numbers));
        reply.afterData().getAttrs(numbers);
        return reply;
    }

    @Test
    void attributes_ofAFewCapabilities_tellThem() {
        limited.limit(2_000_000_000, 0, ALL_BUT_WRITE);
        int[] booleans = {5, 6, 9, 15, 16, 17, 18, 26};
        Reply reply = attributes(booleans);
        assertThat(reply.words(booleans.length))
                .as("link, symlink, unique_handles, cansettime, case: insensitive, preserving, chown, homogeneous")
                .containsExactly(0, 0, 1, 1, 0, 1, 1, 1);
        assertThat(attributes(2).word()).as("FH4_VOLATILE_ANY").isEqualTo(2);
        Reply step = attributes(51);
        assertThat(step.hyper()).isEqualTo(2);
        assertThat(step.word()).isZero();
        assertThat(attributes(82).word()).as("xattr_support").isZero();

        limited.limit(1, 0, EnumSet.of(Capability.WRITE));
        assertThat(attributes(15).word()).as("cansettime").isZero();
    }

    @Test
    void attributes_thatTheBackendDoesNotKnow_areNotSupported() {
        limited.limit(1, 0, ALL_BUT_WRITE);
        Reply reply = client.run(data().getAttrs(0));
        reply.afterData().getAttrs(0);
        int[] supported = reply.words(reply.word());
        for (int number : new int[] {12, 13, 21, 22, 23, 42, 43, 44}) {
            assertThat(supported[number / 32] >>> number % 32 & 1)
                    .as("attribute %s", number)
                    .isZero();
        }
        Reply asked = client.run(data().getAttrs(42, 12, 20));
        asked.afterData().getAttrs(20);
    }

    @Test
    void operations_thatTheBackendLacks_areRefusedEachInItsWay() {
        limited.limit(1, 0, ALL_BUT_WRITE);
        assertThat(client.statusOf(data().makeSymlink("s", "to", Fattr.none()))).isEqualTo(Nfs4Status.BADTYPE);
        assertThat(client.statusOf(data().makeFifo("p"))).isEqualTo(Nfs4Status.BADTYPE);
        assertThat(client.statusOf(file().saveFh().data().link("g"))).isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(client.statusOf(data().saveFh().rename("f", "g"))).isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(client.statusOf(file().setXattr(1, "a", "b"))).isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(client.statusOf(file().named(OpCode.GETXATTR, "a"))).isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(client.statusOf(file().named(OpCode.REMOVEXATTR, "a"))).isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(client.statusOf(file().listXattrs(0, 1000))).isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(client.statusOf(file().setAttr(Fattr.acl(Ace.allow(0x27, "EVERYONE@")))))
                .isEqualTo(Nfs4Status.ATTRNOTSUPP);
        int[] stateid = client.open("o", "f", 3);
        assertThat(client.statusOf(file().allocate(stateid, 0, 100))).isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(client.statusOf(file().deallocate(stateid, 0, 2))).isEqualTo(Nfs4Status.NOTSUPP);
        assertThat(client.statusOf(file().saveFh().copy(stateid, stateid, 1)))
                .isIn(Nfs4Status.NOTSUPP, Nfs4Status.INVAL);
        Reply seek = client.run(file().seek(stateid, 2, 0));
        seek.afterFile().op(OpCode.SEEK);
        assertThat(seek.bool()).as("eof").isFalse();
        assertThat(seek.hyper()).as("all is data").isEqualTo(2);
        Reply readPlus = client.run(file().readPlus(stateid));
        readPlus.afterFile().op(OpCode.READ_PLUS);
        assertThat(readPlus.bool()).as("eof").isTrue();
        assertThat(readPlus.words(2)).as("one segment of data").containsExactly(1, 0);
    }

    @Test
    void changes_ofATreeThatCannotBeWritten_areRofs() {
        limited.limit(1, 0, EnumSet.of(Capability.WRITE));
        assertThat(client.statusOf(data().openCreate("o", "new", 3, 0))).isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(data().open("o", "f", 3, 0))).isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(data().makeDirectory("d"))).isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(data().remove("f"))).isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(data().saveFh().rename("f", "g"))).isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(file().setAttr(Fattr.mode(0)))).isEqualTo(Nfs4Status.ROFS);
        int[] stateid = client.open("o", "f", 1);
        assertThat(client.statusOf(file().read(stateid, 0, 5))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void handle_thatExpired_isSaidToHaveExpired() throws Exception {
        byte[] handle = fileHandle();
        limited.limit(1, 0, EnumSet.of(Capability.PERSISTENT_HANDLES));
        server.fs.remove(Caller.ROOT, server.fs.root(), FileName.of("f"));
        assertThat(client.statusOf(new Ops().putFh(handle).getAttrs(20))).isEqualTo(Nfs4Status.FHEXPIRED);
    }

    private byte[] fileHandle() {
        Reply reply = client.run(file().getFh());
        reply.afterFile();
        return reply.getFh();
    }
}
