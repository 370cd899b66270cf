package org.warpnfs.nfs.v3;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.payload.PayloadPool;

/**
 * An export on a directory of another one, for clients that get into it (nohide) and for those that see the directory
 * underneath.
 */
class NestedExportsTest {
    private final MemoryFileSystem outer = new MemoryFileSystem(1 << 20, 100);
    private final MemoryFileSystem inner = new MemoryFileSystem(1 << 20, 100);
    private final Export above = export("/data", outer, ExportTraits.DEFAULTS);
    private FileHandle underneath;
    private int xid = 1;

    @BeforeEach
    void fill() throws Exception {
        outer.setAttributes(Caller.ROOT, outer.root(), AttributeChanges.ofPermissions(0777));
        underneath = outer.makeDirectory(
                        Caller.ROOT, outer.root(), FileName.of("mnt"), AttributeChanges.ofPermissions(0777))
                .handle();
        outer.makeDirectory(Caller.ROOT, outer.root(), FileName.of("other"), AttributeChanges.ofPermissions(0777));
    }

    private static Export export(String path, MemoryFileSystem files, ExportTraits traits) {
        ExportPolicy everyone = ExportPolicy.everyone(ExportOptions.DEFAULTS.withSquash(Squash.NONE));
        return Export.of(PseudoPath.of(path), files, everyone, traits, "memory");
    }

    private Export nested(boolean isShown) {
        return export("/data/mnt", inner, ExportTraits.DEFAULTS.withShownThroughParent(isShown));
    }

    private V3Reply call(Export nested, int procedure, UnaryOperator<CallWriter> args) throws Exception {
        ExportTable exports = ExportTable.of(List.of(above, nested));
        NfsHandles handles = new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
        PayloadPool payloads = new PayloadPool(4L << 20, 1 << 20);
        Nfs3Program program = new Nfs3Program(new Nfs3Server(
                exports,
                handles,
                payloads,
                Nfs3Options.of(7),
                FileChanges.UNWATCHED,
                new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime)));
        CallWriter call = CallWriter.call(xid++, Nfs3Program.PROGRAM, Nfs3Program.VERSION, procedure)
                .authSys(0, 0);
        byte[] root = handles.encode(above.root());
        return new V3Reply(ReplyKeeper.call(
                program, V3Server.CLIENT, args.apply(call.opaque(root)).toBytes()));
    }

    private byte[] lookedUp(Export nested) throws Exception {
        V3Reply reply = call(nested, V3Server.LOOKUP, c -> c.string("mnt"));
        assertThat(reply.status()).isEqualTo(Nfs3Status.OK);
        return reply.opaque(64);
    }

    private byte[] handle(Location location, Export nested) {
        return new NfsHandles(
                        ExportTable.of(List.of(above, nested)), "0123456789abcdef".getBytes(StandardCharsets.US_ASCII))
                .encode(location);
    }

    @Test
    void lookup_nohide_leadsIntoTheExport() throws Exception {
        Export nested = nested(true);
        assertThat(lookedUp(nested)).isEqualTo(handle(nested.root(), nested));
    }

    @Test
    void lookup_hidden_isTheDirectoryUnderneath() throws Exception {
        Export nested = nested(false);
        assertThat(lookedUp(nested)).isEqualTo(handle(new Location(above, underneath), nested));
    }

    @Test
    void mountPoint_removedOrRenamed_isAccesAndStays() throws Exception {
        for (boolean isShown : new boolean[] {false, true}) {
            Export nested = nested(isShown);
            byte[] root = handle(above.root(), nested);
            assertThat(call(nested, V3Server.RMDIR, c -> c.string("mnt")).status())
                    .isEqualTo(Nfs3Status.ACCES);
            assertThat(call(nested, V3Server.REMOVE, c -> c.string("mnt")).status())
                    .isEqualTo(Nfs3Status.ACCES);
            assertThat(call(nested, V3Server.RENAME, c -> c.string("mnt")
                                    .opaque(root)
                                    .string("moved"))
                            .status())
                    .isEqualTo(Nfs3Status.ACCES);
            assertThat(call(nested, V3Server.RENAME, c -> c.string("other")
                                    .opaque(root)
                                    .string("mnt"))
                            .status())
                    .isEqualTo(Nfs3Status.ACCES);
        }
        assertThat(outer.lookup(Caller.ROOT, outer.root(), FileName.of("mnt")).handle())
                .isEqualTo(underneath);
    }
}
