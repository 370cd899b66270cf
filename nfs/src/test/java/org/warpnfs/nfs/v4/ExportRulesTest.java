package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
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
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportRule;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.HostPattern;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;
import org.warpnfs.nfs.testing.ReplyKeeper;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** The rules of an export are checked for every filehandle of every COMPOUND. */
class ExportRulesTest {
    private static final ExportOptions OPTIONS = ExportOptions.DEFAULTS.withSquash(Squash.NONE);

    private final MemoryFileSystem files = new MemoryFileSystem(1 << 20, 100);
    private final Export open = export("/open", "*", OPTIONS);
    private final Export elsewhere = export("/elsewhere", "198.51.100.0/24", OPTIONS);
    private final Export guarded = export("/guarded", "*", OPTIONS.withPrivilegedPort(true));
    private final Export reading = Export.of(
            PseudoPath.of("/reading"),
            files,
            ExportPolicy.of(List.of(rule("*", OPTIONS), rule("127.0.0.0/8", OPTIONS.withReadOnly(true)))),
            "memory");
    private V4Server server;
    private V4Client client;

    @BeforeEach
    void start() throws Exception {
        files.setAttributes(Caller.ROOT, files.root(), AttributeChanges.ofPermissions(0777));
        server = V4Server.of(ExportTable.of(List.of(open, elsewhere, guarded, reading)));
        client = V4Client.mounted(server, "client", 1000);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Export export(String path, String clients, ExportOptions options) {
        return Export.of(PseudoPath.of(path), files, ExportPolicy.of(List.of(rule(clients, options))), "memory");
    }

    private static ExportRule rule(String clients, ExportOptions options) {
        return new ExportRule(HostPattern.of(clients, HostNames.NONE), options);
    }

    private byte[] root(Export export) {
        return server.handles.encode(export.root());
    }

    @Test
    void exportForOtherHosts_handle_isAccess() {
        assertThat(client.statusOf(new Ops().putFh(root(elsewhere)))).isEqualTo(Nfs4Status.ACCESS);
    }

    @Test
    void exportForOtherHosts_name_isNotThere() {
        assertThat(client.statusOf(new Ops().root().lookup("open"))).isEqualTo(Nfs4Status.OK);
        assertThat(client.statusOf(new Ops().root().lookup("elsewhere"))).isEqualTo(Nfs4Status.NOENT);
    }

    @Test
    void exportForOtherHosts_listing_doesNotShowIt() {
        Reply reply = client.run(new Ops().root().readDir(0, 4096, 8192, Fattr.FILEID));
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.READDIR);
        reply.hyper();

        List<String> names = new ArrayList<>();
        while (reply.word() == 1) {
            reply.hyper();
            names.add(reply.string());
            reply.words(2);
            reply.words(3);
        }
        assertThat(names).containsExactlyInAnyOrder("open", "guarded", "reading");
        assertThat(reply.word()).as("eof").isEqualTo(1);
    }

    @Test
    void exportForOtherHosts_handleBesideTheSavedOne_isAccess() {
        // RENAME, LINK and COPY use two filehandles. Each has been the current one before.
        assertThat(client.statusOf(new Ops().putFh(root(open)).saveFh().putFh(root(elsewhere))))
                .isEqualTo(Nfs4Status.ACCESS);
    }

    @Test
    void exportForPrivilegedPorts_callFromAnother_isPerm() {
        assertThat(client.statusOf(new Ops().putFh(root(guarded)))).isEqualTo(Nfs4Status.OK);

        client.connection = new ReplyKeeper(new InetSocketAddress(InetAddress.getLoopbackAddress(), 40_000));
        assertThat(client.statusOf(new Ops().putFh(root(guarded)))).isEqualTo(Nfs4Status.PERM);
        assertThat(client.statusOf(new Ops().putFh(root(open)))).isEqualTo(Nfs4Status.OK);
    }

    @Test
    void exportReadOnlyForThisHost_change_isRofs() {
        assertThat(client.statusOf(new Ops().putFh(root(reading)).openCreate("o", "f", 3, 0)))
                .isEqualTo(Nfs4Status.ROFS);
        assertThat(client.statusOf(new Ops().putFh(root(open)).openCreate("o", "f", 3, 0)))
                .isEqualTo(Nfs4Status.OK);
    }
}
