package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** An export is withdrawn while clients have files of it open. */
class WithdrawnExportTest {
    private final MemoryFileSystem going = new MemoryFileSystem(1 << 20, 100);
    private final MemoryFileSystem staying = new MemoryFileSystem(1 << 20, 100);
    private final Export gone = export("/gone", going);
    private final Export stays = export("/stays", staying);
    private V4Server server;
    private V4Client client;

    private static Export export(String path, MemoryFileSystem files) {
        return Export.of(PseudoPath.of(path), files, ExportOptions.DEFAULTS.withSquash(Squash.NONE), "memory");
    }

    @BeforeEach
    void start() throws Exception {
        for (MemoryFileSystem files : List.of(going, staying)) {
            files.setAttributes(Caller.ROOT, files.root(), AttributeChanges.ofPermissions(0777));
        }
        server = V4Server.of(ExportTable.of(List.of(gone, stays)));
        client = V4Client.callable(server, "client", 1000);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int[] open(Export export, String name, int access) {
        Reply reply = client.run(
                new Ops().putFh(server.handles.encode(export.root())).openCreate("owner-" + name, name, access, 0));
        reply.op(OpCode.PUTFH);
        return reply.open();
    }

    private void openWithDelegation(Export export, String name) {
        Reply reply = client.run(
                new Ops().putFh(server.handles.encode(export.root())).openCreate("owner-" + name, name, 1, 0));
        reply.op(OpCode.PUTFH);
        assertThat(reply.readDelegation()).hasSize(4);
    }

    @Test
    void withdraw_opensLocksAndDelegations_goAndThoseOfOtherFilesStay() {
        int[] open = open(gone, "f", 3);
        openWithDelegation(gone, "g");
        int[] kept = open(stays, "h", 3);
        assertThat(client.statusOf(new Ops()
                        .putFh(server.handles.encode(gone.root()))
                        .lookup("f")
                        .lock(2, false, 0, 10, open, "locker")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(server.program().counts().opens()).isEqualTo(3);
        assertThat(server.program().counts().locks()).isEqualTo(1);
        assertThat(server.program().counts().delegations())
                .as("to write, to read, to write")
                .isEqualTo(3);

        assertThat(server.exports.replace(List.of(stays))).containsExactly(gone);
        server.program().withdraw(going);

        assertThat(server.program().counts().opens()).isEqualTo(1);
        assertThat(server.program().counts().locks()).isZero();
        assertThat(server.program().counts().delegations()).isEqualTo(1);
        assertThat(client.statusOf(new Ops().putFh(server.handles.encode(gone.root()))))
                .isEqualTo(Nfs4Status.STALE);
        assertThat(client.statusOf(new Ops()
                        .putFh(server.handles.encode(stays.root()))
                        .lookup("h")
                        .close(kept)))
                .isEqualTo(Nfs4Status.OK);
    }

    /** A stateid from the time when the export was writable does not bypass its present options. */
    @Test
    void export_becomesReadOnly_nothingIsWrittenThroughWhatIsOpen() {
        int[] open = open(gone, "f", 3);
        byte[] root = server.handles.encode(gone.root());

        assertThat(client.statusOf(new Ops().putFh(root).lookup("f").write(open, 0, 0, "before")))
                .isEqualTo(Nfs4Status.OK);

        Export readOnly = Export.of(
                PseudoPath.of("/gone"),
                going,
                ExportOptions.DEFAULTS.withSquash(Squash.NONE).withReadOnly(true),
                "memory");
        assertThat(server.exports.replace(List.of(readOnly, stays))).isEmpty();

        for (int stable = 0; stable <= 2; stable++) {
            assertThat(client.statusOf(new Ops().putFh(root).lookup("f").write(open, 0, stable, "after")))
                    .isEqualTo(Nfs4Status.ROFS);
        }
        assertThat(client.statusOf(new Ops().putFh(root).openCreate("other", "new", 3, 0)))
                .isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(new Ops().putFh(root).lookup("f").read(open, 0, 6)))
                .isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().putFh(root).lookup("f").close(open)))
                .isEqualTo(Nfs4Status.OK);
    }
}
