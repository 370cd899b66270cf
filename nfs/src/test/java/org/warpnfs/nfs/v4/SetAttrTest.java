package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** SETATTR of sizes, modes and owners. */
class SetAttrTest {
    private final V4Server server = new V4Server();
    private final V4Client client = V4Client.mounted(server, "c", 0);
    private FileHandle handle;

    @BeforeEach
    void newFile() {
        handle = server.newFile("f", 0666, new byte[0]);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Ops set(Fattr attributes) {
        return new Ops().data().lookup("f").setAttr(attributes);
    }

    @Test
    void setAttr_ofSizeModeAndOwner_setsAndNamesThem() throws Exception {
        Reply done = client.run(set(Fattr.size(5).and(Fattr.mode(0600)).and(Fattr.owner("1000"))));

        done.afterFile().op(OpCode.SETATTR);
        assertThat(done.bitmap()).isEqualTo(Fattr.mask(Fattr.SIZE, Fattr.MODE, Fattr.OWNER));
        FileAttributes attributes = server.fs.attributes(handle);
        assertThat(attributes.sizeBytes()).isEqualTo(5);
        assertThat(attributes.permissions()).isEqualTo(0600);
        assertThat(attributes.uid()).isEqualTo(1000);
    }

    @Test
    void setAttr_ofAnOwnerNobodyKnows_isBadOwnerAndSetsNothing() {
        Reply named = client.send(set(Fattr.owner("joe@home")));

        assertThat(named.status()).isEqualTo(Nfs4Status.BADOWNER);
        named.afterFile().op(OpCode.SETATTR, Nfs4Status.BADOWNER);
        assertThat(named.word()).as("nothing set").isZero();
        named.end();
    }

    /** RFC 8881, section 18.30.4. The file system refuses the length when owner and mode are set already. */
    @Test
    void setAttr_thatFailsHalfWay_namesWhatWasSet(@TempDir Path directory) throws Exception {
        Files.createFile(directory.resolve("f"));
        try (FileSystem local = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
                V4Server real = V4Server.through(_ -> local)) {
            Reply reply = V4Client.mounted(real, "c", 0)
                    .send(set(Fattr.size(1L << 62).and(Fattr.mode(0600)).and(Fattr.owner("1000"))));
            Assumptions.assumeTrue(reply.status() == Nfs4Status.FBIG, "a file system with shorter files");

            reply.afterFile().op(OpCode.SETATTR, Nfs4Status.FBIG);
            assertThat(reply.bitmap()).isEqualTo(Fattr.mask(Fattr.MODE, Fattr.OWNER));
            reply.end();
            FileAttributes attributes = local.attributes(
                    local.lookup(Caller.ROOT, local.root(), FileName.of("f")).handle());
            assertThat(attributes.uid()).isEqualTo(1000);
            assertThat(attributes.permissions()).isEqualTo(0600);
        }
    }

    @Test
    void setAttr_ofAnOwnerWithoutAName_isInval() {
        assertThat(client.statusOf(set(Fattr.owner("")))).isEqualTo(Nfs4Status.INVAL);
    }

    /** The kernel takes (uid_t) -1 for "leave the owner". The request would be answered as done although it was not. */
    @Test
    void setAttr_ownerOrGroupMinusOne_isBadOwner() {
        for (Fattr minusOne : List.of(Fattr.owner("4294967295"), Fattr.group("4294967295"))) {
            assertThat(client.statusOf(set(minusOne))).isEqualTo(Nfs4Status.BADOWNER);
        }
        for (Fattr largest : List.of(Fattr.owner("4294967294"), Fattr.group("4294967294"))) {
            assertThat(client.statusOf(set(largest))).isEqualTo(Nfs4Status.OK);
        }
    }
}
