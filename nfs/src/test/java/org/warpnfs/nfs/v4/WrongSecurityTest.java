package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
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
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** Where WRONGSEC is due, and where it is not (RFC 8881, section 2.6.3.1). The client has AUTH_SYS. */
class WrongSecurityTest {
    private static final ExportOptions OPTIONS = ExportOptions.DEFAULTS.withSquash(Squash.NONE);
    private static final byte[] KERBEROS_5 = {42, -122, 72, -122, -9, 18, 1, 2, 2};

    private final MemoryFileSystem files = new MemoryFileSystem(1 << 20, 100);
    private final Export open = export("/open", Flavor.SYS);
    private final Export shut = export("/shut", Flavor.KRB5P, Flavor.KRB5I, Flavor.KRB5);
    private V4Server server;
    private V4Client client;

    @BeforeEach
    void start() throws Exception {
        files.setAttributes(Caller.ROOT, files.root(), AttributeChanges.ofPermissions(0777));
        server = V4Server.of(ExportTable.of(List.of(open, shut)));
        client = V4Client.mounted(server, "client", 1000);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Export export(String path, Flavor... flavors) {
        return Export.of(PseudoPath.of(path), files, OPTIONS.withFlavors(List.of(flavors)), "memory");
    }

    private Ops shut() {
        return new Ops().putFh(server.handles.encode(shut.root()));
    }

    @Test
    void putFh_withTheLastOperationOrAnotherHandleAfterIt_isNotJudged() {
        assertThat(client.statusOf(shut())).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(shut().root().getFh())).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void readDir_ofADirectoryWithTheExport_hasTheErrorInPlaceOfItsAttributes() {
        Reply reply = client.run(new Ops().root().readDir(0, 4096, 8192, Fattr.RDATTR_ERROR, Fattr.SIZE));
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.READDIR);
        reply.hyper();
        List<String> seen = new ArrayList<>();
        while (reply.bool()) {
            reply.hyper();
            String name = reply.string();
            int[] mask = reply.bitmap();
            reply.word();
            Nfs4Status error = Reply.of(reply.word());
            boolean hasSize = (mask[0] & 1 << Fattr.SIZE) != 0;
            if (hasSize) {
                reply.hyper();
            }
            seen.add(name + " " + error + " " + hasSize);
        }

        assertThat(seen).containsExactlyInAnyOrder("open OK true", "shut WRONGSEC false");
    }

    @Test
    void putFh_beforeAnOperationOnTheFile_isWrongSecItself() {
        Reply reply = client.send(shut().getFh());

        assertThat(reply.status()).isEqualTo(Nfs4Status.WRONGSEC);
        reply.op(OpCode.PUTFH, Nfs4Status.WRONGSEC);
    }

    @Test
    void lookup_intoAndBelowTheExport_isWrongSecItself() {
        Reply into = client.send(new Ops().root().lookup("shut"));
        Reply below = client.send(shut().lookup("f"));

        assertThat(into.status()).isEqualTo(Nfs4Status.WRONGSEC);
        into.op(OpCode.PUTROOTFH);
        into.op(OpCode.LOOKUP, Nfs4Status.WRONGSEC);
        assertThat(below.status()).isEqualTo(Nfs4Status.WRONGSEC);
        below.op(OpCode.PUTFH);
        below.op(OpCode.LOOKUP, Nfs4Status.WRONGSEC);
    }

    @Test
    void open_inTheExport_isWrongSecItself() {
        Reply reply = client.send(shut().openCreate("o", "f", 3, 0));

        assertThat(reply.status()).isEqualTo(Nfs4Status.WRONGSEC);
        reply.op(OpCode.PUTFH);
        reply.op(OpCode.OPEN, Nfs4Status.WRONGSEC);
    }

    @Test
    void lookupParent_outOfTheExport_isAllowed() {
        assertThat(client.statusOf(shut().op(OpCode.LOOKUPP).getFh())).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void secInfo_ofTheExport_tellsItsFlavorsInItsOrder() {
        Reply byName = client.run(new Ops().root().named(OpCode.SECINFO, "shut"));
        byName.op(OpCode.PUTROOTFH);
        byName.op(OpCode.SECINFO);
        assertThat(services(byName)).containsExactly(3, 2, 1);

        Reply inside = client.run(shut().named(OpCode.SECINFO, "no such file"));
        inside.op(OpCode.PUTFH);
        inside.op(OpCode.SECINFO);
        assertThat(services(inside)).containsExactly(3, 2, 1);

        Reply ofItself = client.run(shut().op(OpCode.SECINFO_NO_NAME, 0));
        ofItself.op(OpCode.PUTFH);
        ofItself.op(OpCode.SECINFO_NO_NAME);
        assertThat(services(ofItself)).containsExactly(3, 2, 1);
    }

    private static List<Integer> services(Reply reply) {
        List<Integer> services = new ArrayList<>();
        for (int left = reply.word(); left > 0; left--) {
            assertThat(reply.word()).isEqualTo(6);
            assertThat(reply.opaque(64)).isEqualTo(KERBEROS_5);
            assertThat(reply.word()).isZero();
            services.add(reply.word());
        }
        return services;
    }

    @Test
    void pseudoRoot_acceptsWhatAnyExportAccepts() {
        Reply reply = client.run(new Ops().root().op(OpCode.SECINFO_NO_NAME, 0));
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.SECINFO_NO_NAME);

        assertThat(reply.word()).isEqualTo(4);
        assertThat(reply.word()).isEqualTo(1);
        assertThat(reply.word()).isEqualTo(6);
    }
}
