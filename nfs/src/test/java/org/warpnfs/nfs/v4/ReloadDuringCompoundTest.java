package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.testing.ReloadedExports;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** COMPOUNDs whose export is reloaded after their first PUTFH. */
class ReloadDuringCompoundTest {
    private static final CreateMode CREATE = new CreateMode.Guarded(AttributeChanges.ofPermissions(0644));

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

    /**
     * The saved filehandle was put while its export took no AUTH_SYS, which SAVEFH need not mind. The export that is in
     * force when both are used takes it.
     */
    @ParameterizedTest
    @EnumSource
    void savedFilehandle_ofAnExportThatTookNoSuchCredentialBefore_isUsed(Pair pair) throws Exception {
        assertThat(statusOf(pair, new ReloadedExports(files, Flavor.KRB5P))).isEqualTo(pair.done);
    }

    /**
     * The rules of the current filehandle judge both, so what was saved while the export was writable is not changed.
     */
    @ParameterizedTest
    @EnumSource
    void export_becomesReadOnlyAfterSaveFh_nothingIsChanged(Pair pair) throws Exception {
        assertThat(statusOf(pair, new ReloadedExports(files, Flavor.SYS, true))).isEqualTo(Nfs4Status.ROFS);
        assertThat(names()).containsExactlyInAnyOrder("d", "f", "g");
    }

    @ParameterizedTest
    @EnumSource
    void export_becomesReadOnlyAndTakesTheCredential_nothingIsChanged(Pair pair) throws Exception {
        assertThat(statusOf(pair, new ReloadedExports(files, Flavor.KRB5P, true)))
                .isEqualTo(Nfs4Status.ROFS);
        assertThat(names()).containsExactlyInAnyOrder("d", "f", "g");
    }

    private Nfs4Status statusOf(Pair pair, ReloadedExports reloaded) throws Exception {
        for (String name : List.of("f", "g")) {
            files.create(Caller.ROOT, files.root(), FileName.of(name), CREATE);
        }
        try (V4Server other = V4Server.of(reloaded.table())) {
            V4Client caller = V4Client.mounted(other, "client", 0);
            Ops ops = new Ops()
                    .putFh(handle(other, reloaded, pair.saved))
                    .saveFh()
                    .putFh(handle(other, reloaded, pair.current));
            Nfs4Status status = caller.statusOf(pair.addTo(ops));
            assertThat(reloaded.table().exports().getFirst())
                    .as("the export after the COMPOUND")
                    .isNotSameAs(reloaded.before());
            return status;
        }
    }

    private List<String> names() throws Exception {
        List<String> names = new ArrayList<>();
        boolean _ = files.list(
                Caller.ROOT,
                files.root(),
                0,
                false,
                entry -> names.add(entry.name().toString()));
        return names;
    }

    private byte[] handle(V4Server of, ReloadedExports shut, String name) throws Exception {
        Location top = shut.before().root();
        return of.handles.encode(
                name.isEmpty()
                        ? top
                        : top.sibling(files.lookup(Caller.ROOT, top.file(), FileName.of(name))
                                .handle()));
    }

    /** An operation on the saved and on the current filehandle. */
    private enum Pair {
        RENAME("", "d", Nfs4Status.OK),
        LINK("f", "", Nfs4Status.OK),
        COPY("f", "g", Nfs4Status.OK),
        /** The files in memory cannot be cloned, and say so themselves. */
        CLONE("f", "g", Nfs4Status.NOTSUPP);

        private final String saved;
        private final String current;
        /** The status where the export permits it. */
        private final Nfs4Status done;

        Pair(String saved, String current, Nfs4Status done) {
            this.saved = saved;
            this.current = current;
            this.done = done;
        }

        Ops addTo(Ops ops) {
            return switch (this) {
                case RENAME -> ops.rename("f", "h");
                case LINK -> ops.link("h");
                case COPY -> ops.copy(new int[4], new int[4], 0);
                case CLONE -> ops.op(OpCode.CLONE, new int[14]);
            };
        }
    }
}
