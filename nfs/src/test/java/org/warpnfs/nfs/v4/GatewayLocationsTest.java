package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.FsLocations;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** fs_locations of a server that is one of several gateways (RFC 8881, section 11.16). */
class GatewayLocationsTest {
    private static final int FSID = 1 << 8;
    private static final int FS_LOCATIONS = 1 << 24;

    private final List<List<String>> gateways = new ArrayList<>();
    private final V4Server server = V4Server.of(ExportTable.of(List.of(
                    export("/data", FsLocations.NONE),
                    export(
                            "/twice",
                            new FsLocations(
                                    false,
                                    List.of(new FsLocations.Place(
                                            List.of("two.example.org"), PseudoPath.of("/copy"))))))))
            .with(() -> List.copyOf(gateways));
    private final V4Client client = V4Client.mounted(server, "client", 0);

    private static Export export(String path, FsLocations locations) {
        return Export.of(
                PseudoPath.of(path),
                new MemoryFileSystem(1 << 20, 100),
                ExportPolicy.everyone(ExportOptions.DEFAULTS),
                ExportTraits.DEFAULTS.withLocations(locations),
                "memory");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** GETATTR as Linux looks for trunking; what follows the fsid. */
    private Reply locations(Ops ops) {
        Reply reply = client.run(ops.getAttr(FSID | FS_LOCATIONS));
        reply.afterData();
        reply.op(OpCode.GETATTR);
        assertThat(reply.words(2)).containsExactly(1, FSID | FS_LOCATIONS);
        reply.words(1);
        reply.hyper();
        reply.hyper();
        return reply;
    }

    private void twoGateways() {
        gateways.add(List.of("192.0.2.1", "2001:db8::1"));
        gateways.add(List.of("192.0.2.2"));
    }

    @Test
    void export_isAtEveryGateway_atThePathThatItHasHere() {
        twoGateways();
        Reply reply = locations(new Ops().data());
        assertThat(reply.word()).isEqualTo(1);
        assertThat(reply.string()).isEqualTo("data");
        assertThat(reply.words(2)).containsExactly(2, 2);
        assertThat(List.of(reply.string(), reply.string())).containsExactly("192.0.2.1", "2001:db8::1");
        assertThat(reply.word()).isEqualTo(1);
        assertThat(reply.string()).isEqualTo("data");
        assertThat(reply.word()).isEqualTo(1);
        assertThat(reply.string()).isEqualTo("192.0.2.2");
        assertThat(reply.word()).isEqualTo(1);
        assertThat(reply.string()).isEqualTo("data");
        reply.end();
    }

    @Test
    void rootAboveTheExports_isAtEveryGatewayToo() {
        twoGateways();
        Reply reply = client.run(new Ops().root().getAttr(FSID | FS_LOCATIONS));
        reply.op(OpCode.PUTROOTFH);
        reply.op(OpCode.GETATTR);
        assertThat(reply.words(3)).containsExactly(1, FSID | FS_LOCATIONS, 88);
        reply.hyper();
        reply.hyper();
        assertThat(reply.words(3)).containsExactly(0, 2, 2);
        assertThat(List.of(reply.string(), reply.string())).containsExactly("192.0.2.1", "2001:db8::1");
        assertThat(reply.words(2)).containsExactly(0, 1);
        assertThat(reply.string()).isEqualTo("192.0.2.2");
        assertThat(reply.word()).isZero();
        reply.end();
    }

    @Test
    void copiesThatAnAdministratorHasNamed_areAllThatIsTold() {
        twoGateways();
        Reply reply = locations(new Ops().root().lookup("twice"));
        assertThat(reply.word()).isEqualTo(1);
        assertThat(reply.string()).isEqualTo("twice");
        assertThat(reply.words(2)).containsExactly(1, 1);
        assertThat(reply.string()).isEqualTo("two.example.org");
    }

    @Test
    void noGatewayWithAnAddress_noLocations() {
        Reply reply = locations(new Ops().data());
        assertThat(reply.words(2)).containsExactly(0, 0);
        reply.end();
    }
}
