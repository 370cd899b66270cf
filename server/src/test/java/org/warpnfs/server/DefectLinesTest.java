package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.server.log.Written;

/**
 * Log lines about defects of the server. A line names the call, wherever in the server it was written, so that the call
 * can be found in a capture. A client that repeats the call causes one line.
 */
class DefectLinesTest {
    private static final int SERVERFAULT = 10006;

    private LanesServer server;
    private byte[] file;

    @BeforeEach
    void start() throws Exception {
        server = new LanesServer();
        file = server.newFile("file", 1);
        server.broken = true;
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ByteBuffer commit3(LanesServer.Peer peer) throws Exception {
        return peer.call(server.nfs3(21).opaque(file).hyper(0).word(0));
    }

    /** Sends PUTFH and COMMIT. COMMIT runs in another lane than the start of the call. */
    private ByteBuffer commit4(LanesServer.Peer peer) throws Exception {
        return peer.call(
                server.compound(0, 2).word(22).opaque(file).word(5).hyper(0).word(0));
    }

    @Test
    void defectUnderACall_isLoggedWithItsXidPeerAndProcedure() throws Exception {
        LanesServer.Peer peer = server.connect(1);
        try (Written lines = new Written()) {
            assertThat(commit3(peer).getInt()).isEqualTo(SERVERFAULT);
            assertThat(commit4(peer).getInt()).isEqualTo(SERVERFAULT);
            assertThat(lines.text().lines().filter(line -> !line.startsWith("\t")))
                    .hasSize(2)
                    .satisfiesExactly(
                            line -> assertThat(line).endsWith("[XID 1, nfs 3 COMMIT of 10.0.0.1:900]"),
                            line -> assertThat(line).endsWith("[XID 2, nfs 4 COMPOUND of 10.0.0.1:900]"));
        }
    }

    @Test
    void defectAgainAndAgain_isALineForEachClient() throws Exception {
        long begin = System.nanoTime();
        try (Written lines = new Written()) {
            for (int client = 1; client <= 3; client++) {
                LanesServer.Peer peer = server.connect(client);
                for (int i = 0; i < 100; i++) {
                    assertThat(commit3(peer).getInt()).isEqualTo(SERVERFAULT);
                }
            }
            long minutes = 1 + (System.nanoTime() - begin) / 60_000_000_000L;
            assertThat(lines.messages()).hasSizeBetween(3, (int) (3 * minutes));
        }
    }
}
