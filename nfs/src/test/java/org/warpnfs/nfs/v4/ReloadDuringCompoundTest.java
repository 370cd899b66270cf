package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.testing.ReloadedExports;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** COMPOUNDs whose export is reloaded after their first PUTFH. */
class ReloadDuringCompoundTest {
    private final MemoryFileSystem files = new MemoryFileSystem(1 << 20, 100);
    private final ReloadedExports exports = new ReloadedExports(files);
    private V4Server server;
    private V4Client client;
    private byte[] root;

    @BeforeEach
    void start() throws Exception {
        server = V4Server.of(exports.table());
        client = V4Client.mounted(server, "client", 0);
        root = server.handles.encode(exports.before().root());
        files.makeDirectory(Caller.ROOT, files.root(), FileName.of("d"), AttributeChanges.ofPermissions(0777));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void rename_withinOneDirectory_isNotAcrossExports() {
        assertThat(client.statusOf(new Ops().putFh(root).saveFh().putFh(root).rename("d", "e")))
                .isEqualTo(Nfs4Status.OK);
    }

    /** The name of an export is found in the virtual root, which is another object after the reload. */
    @Test
    void lookup_ofAnExportFromTheRootOfBefore_isFound() {
        assertThat(client.statusOf(new Ops()
                        .root()
                        .saveFh()
                        .putFh(root)
                        .op(OpCode.RESTOREFH)
                        .lookup("data")
                        .lookup("d")))
                .isEqualTo(Nfs4Status.OK);
    }
}
