package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.FileChanges;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.replay.ReplyCache;
import org.warpnfs.nfs.testing.CallWriter;
import org.warpnfs.nfs.v3.Nfs3Options;
import org.warpnfs.nfs.v3.Nfs3Program;
import org.warpnfs.nfs.v3.Nfs3Server;
import org.warpnfs.nfs.v4.attr.Attributes;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** What a layout is worth at a data server. */
class LayoutAtDataServerTest extends LayoutBench {
    /** What a layout says is all that a client needs at another server with the same key. */
    @Test
    void layout_atADataServer_writesTheFileThatTheMetadataServerSees() throws Exception {
        ExportTable exports = ExportTable.of(List.of(Export.of(
                PseudoPath.of("/data"), server.fs, ExportOptions.DEFAULTS.withSquash(Squash.NONE), "the same files")));
        Nfs3Program dataServer = new Nfs3Program(new Nfs3Server(
                exports,
                new NfsHandles(exports, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII)),
                server.payloads,
                Nfs3Options.of(7),
                FileChanges.UNWATCHED,
                new ReplyCache(ReplyCache.MAX_BYTES, System::nanoTime)));
        V4Client client = V4Client.callable(server, "a", 1000);
        int[] open = client.create("f");
        LayoutSeen layout = get(client, RW, open);
        byte[] write = CallWriter.call(9, 100003, 3, 7)
                .authSys(Integer.parseInt(layout.user()), Integer.parseInt(layout.group()))
                .opaque(layout.handle())
                .hyper(0)
                .words(5, 2)
                .opaque("hello".getBytes(StandardCharsets.US_ASCII))
                .toBytes();

        ByteBuffer reply = ByteBuffer.wrap(V4Server.newConnection().call(dataServer, write));
        assertThat(reply.getInt(24)).as("NFS3_OK").isZero();

        Reply attributes = client.run(file().getAttrs(Attributes.SIZE)).afterFile();
        attributes.getAttrs(Attributes.SIZE);
        assertThat(attributes.hyper()).isEqualTo(5);
        Reply read = client.run(file().read(open, 0, 10)).afterFile();
        read.op(OpCode.READ);
        assertThat(read.word()).as("eof").isEqualTo(1);
        assertThat(new String(read.opaque(10), StandardCharsets.US_ASCII)).isEqualTo("hello");
    }
}
