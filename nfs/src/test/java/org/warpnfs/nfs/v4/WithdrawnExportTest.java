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
import org.warpnfs.nfs.v4.V4Client.Ops;
import org.warpnfs.nfs.v4.V4Client.Reply;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

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
        Reply reply = client.run(new Ops()
                .putFh(server.handles.encode(export.root()))
                .openCreate("owner-" + name, name, access, 0));
        reply.op(22);
        reply.op(18);
        return reply.open();
    }

    @Test
    void withdraw_opensLocksAndDelegations_areGoneAndThoseOfOthersStay() {
        int[] open = open(gone, "f", 3);
        open(gone, "g", 1);
        int[] kept = open(stays, "h", 3);
        assertThat(client.statusOf(new Ops()
                        .putFh(server.handles.encode(gone.root()))
                        .lookup("f")
                        .lock(2, false, 0, 10, open, "locker")))
                .isEqualTo(Nfs4Status.OK);
        assertThat(server.program().counts().opens()).isEqualTo(3);
        assertThat(server.program().counts().locks()).isEqualTo(1);
        int delegations = server.program().counts().delegations();

        assertThat(server.exports.replace(List.of(stays))).containsExactly(gone);
        server.program().withdraw(going);

        assertThat(server.program().counts().opens()).isEqualTo(1);
        assertThat(server.program().counts().locks()).isZero();
        assertThat(server.program().counts().delegations()).isLessThanOrEqualTo(delegations);
        assertThat(client.statusOf(new Ops().putFh(server.handles.encode(gone.root()))))
                .isEqualTo(Nfs4Status.STALE);
        assertThat(client.statusOf(new Ops()
                        .putFh(server.handles.encode(stays.root()))
                        .lookup("h")
                        .close(kept)))
                .isEqualTo(Nfs4Status.OK);
    }

    @Test
    void withdraw_delegation_isGone() {
        open(gone, "f", 3);
        client.statusOf(new Ops().putFh(server.handles.encode(gone.root())).lookup("f"));
        int[] reader = open(gone, "d", 1);
        assertThat(reader).isNotEmpty();
        assertThat(server.program().counts().delegations()).as("a delegation to lose").isPositive();
        server.exports.replace(List.of(stays));
        server.program().withdraw(going);
        assertThat(server.program().counts().delegations()).isZero();
        assertThat(server.program().counts().opens()).isZero();
    }
}
