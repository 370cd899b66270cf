package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.WRITE_LT;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.ask;
import static org.warpnfs.nfs.v4.FileOfBothProtocols.file;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.nlm.DirectoryNsmStore;
import org.warpnfs.nfs.testing.NlmClient;
import org.warpnfs.nfs.v4.state.file.DelegationPolicy;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** After a restart Carl may reclaim his lock by NLM. Ann's protocol has nobody who reclaims. */
class NlmReclaimsBesideV4Test {
    private static final int NO_DELEGATION = 0;
    private static final int WRITE_DELEGATION = 2;

    @TempDir
    Path state;

    private FileOfBothProtocols both;

    @BeforeEach
    void restart() throws Exception {
        DirectoryNsmStore store = DirectoryNsmStore.open(state);
        store.write("state", "1");
        String name = HexFormat.of().formatHex("client.lab".getBytes(StandardCharsets.US_ASCII));
        store.addHost("carl", "10.9.0.3\n-\n" + name + "\n1\n");
        both = new FileOfBothProtocols(store);
    }

    @AfterEach
    void close() {
        both.close();
    }

    private void reclaimsEnd() {
        both.server.nowNanos += V4Server.LEASE.toNanos();
    }

    /** A client with a delegation to write locks without asking. */
    @Test
    void delegation_whileLocksAreReclaimedByNlm_isNotGranted() {
        both.server.program().setDelegations(DelegationPolicy.ALL);
        both.server.newFile("g", 0666, new byte[0]);
        Ops open = new Ops().data().open("o", "g", 2, 0);

        assertThat(both.ann.run(open).afterData().openUpToDelegation()).isEqualTo(NO_DELEGATION);
        assertThat(both.carl.reclaim("c", 0, 10)).isEqualTo(NlmClient.GRANTED);

        reclaimsEnd();
        both.server.locks.settleReclaims(both.server.nowNanos);
        both.server.newFile("h", 0666, new byte[0]);
        open = new Ops().data().open("o", "h", 2, 0);
        assertThat(both.ann.run(open).afterData().openUpToDelegation()).isEqualTo(WRITE_DELEGATION);
    }

    @Test
    void lock_endOfReclaimsByNlmCannotBeWritten_isNotGranted() throws Exception {
        assertThat(ask(both.ann, WRITE_LT, both.ofAnn, 0)).isEqualTo(Nfs4Status.GRACE);
        Path obstacle = Files.createDirectories(state.resolve("settled.new/full"));

        reclaimsEnd();

        assertThat(ask(both.ann, WRITE_LT, both.ofAnn, 0))
                .as("after a crash Carl could reclaim what Ann got")
                .isEqualTo(Nfs4Status.GRACE);
        assertThat(both.ann.statusOf(file().lockTest(WRITE_LT, 0, 10, both.ann.clientId, "x")))
                .isEqualTo(Nfs4Status.GRACE);
        Files.delete(obstacle);
        assertThat(ask(both.ann, WRITE_LT, both.ofAnn, 0)).isEqualTo(Nfs4Status.OK);
        assertThat(state.resolve("settled")).content().contains("3");
    }
}
