package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.CreateMode;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReloadedExports;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.payload.PayloadPool;

/** Calls with two filehandles whose export is reloaded between the lookups of both. */
class ReloadDuringCallTest {
    private final MemoryFileSystem files = new MemoryFileSystem(1 << 20, 100);
    private ReloadedExports exports = new ReloadedExports(files);
    private NfsHandles handles = handlesOf(exports);
    private FileHandle file;

    @BeforeEach
    void fill() throws Exception {
        CreateMode mode = new CreateMode.Guarded(AttributeChanges.ofPermissions(0644));
        file = files.create(Caller.ROOT, files.root(), FileName.of("f"), mode)
                .node()
                .handle();
    }

    /** The directory that is changed is judged by the rules that are in force when it is looked up. */
    @Test
    void export_becomesReadOnlyBetweenTheFilehandles_nothingIsChanged() throws Exception {
        exports = new ReloadedExports(files, Flavor.SYS, true);
        handles = handlesOf(exports);
        byte[] root = handleOf(files.root());
        assertThat(statusOf(
                        V3Server.RENAME,
                        c -> c.opaque(root).string("f").opaque(root).string("g")))
                .isEqualTo(Nfs3Status.ROFS);

        exports = new ReloadedExports(files, Flavor.SYS, true);
        handles = handlesOf(exports);
        assertThat(statusOf(
                        V3Server.LINK,
                        c -> c.opaque(handleOf(file)).opaque(root).string("g")))
                .isEqualTo(Nfs3Status.ROFS);
        assertThat(files.lookup(Caller.ROOT, files.root(), FileName.of("f")).handle())
                .isEqualTo(file);
    }

    private static NfsHandles handlesOf(ReloadedExports of) {
        return new NfsHandles(of.table(), "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
    }

    private Nfs3Status statusOf(int procedure, UnaryOperator<CallWriter> args) throws Exception {
        Nfs3Program program = new Nfs3Program(new Nfs3Server(
                exports.table(),
                handles,
                new PayloadPool(4L << 20, 1 << 20),
                Nfs3Options.of(7),
                FileChanges.UNWATCHED,
                new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime)));
        CallWriter call = CallWriter.call(1, Nfs3Program.PROGRAM, Nfs3Program.VERSION, procedure)
                .authSys(0, 0);
        return new V3Reply(ReplyKeeper.call(
                        program, V3Server.CLIENT, args.apply(call).toBytes()))
                .status();
    }

    private byte[] handleOf(FileHandle of) {
        return handles.encode(new Location(exports.before(), of));
    }

    @Test
    void rename_withinOneDirectory_isNotAcrossExports() throws Exception {
        byte[] root = handleOf(files.root());
        assertThat(statusOf(
                        V3Server.RENAME,
                        c -> c.opaque(root).string("f").opaque(root).string("g")))
                .isEqualTo(Nfs3Status.OK);
        assertThat(files.lookup(Caller.ROOT, files.root(), FileName.of("g")).handle())
                .isEqualTo(file);
    }

    @Test
    void link_ofAFileOfTheExport_isNotAcrossExports() throws Exception {
        byte[] root = handleOf(files.root());
        assertThat(statusOf(
                        V3Server.LINK,
                        c -> c.opaque(handleOf(file)).opaque(root).string("g")))
                .isEqualTo(Nfs3Status.OK);
        assertThat(files.lookup(Caller.ROOT, files.root(), FileName.of("g")).handle())
                .isEqualTo(file);
    }
}
