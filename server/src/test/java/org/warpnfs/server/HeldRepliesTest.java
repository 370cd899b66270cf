package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.server.LanesServer.MIB;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A COMPOUND that lists a directory and then continues in another lane. Its results so far stay in the heap while it
 * waits for that lane, and count as memory held by the call.
 */
class HeldRepliesTest {
    private static final int OK = 0;
    private static final int DELAY = 10008;
    private static final int NAMES = 200;
    private static final int NAME_BYTES = 64;

    private LanesServer server;
    private byte[] file;

    @BeforeEach
    void start() throws Exception {
        server = new LanesServer();
        file = server.newFile("file", 1);
        for (int i = 0; i < NAMES; i++) {
            server.newFile("x".repeat(NAME_BYTES) + i, 1);
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** Sends PUTROOTFH, READDIR, PUTFH and COMMIT. */
    private ByteBuffer listAndCommit() throws Exception {
        return server.connect(1)
                .call(server.compound(0, 4)
                        .word(24)
                        .word(26)
                        .hyper(0)
                        .hyper(0)
                        .word(MIB)
                        .word(MIB)
                        .word(0)
                        .word(22)
                        .opaque(file)
                        .word(5)
                        .hyper(0)
                        .word(0));
    }

    @Test
    void compound_goesOnInAnotherLane_saysWhatItHolds() throws Exception {
        ByteBuffer results = listAndCommit();
        assertThat(results.getInt()).isEqualTo(OK);
        assertThat(server.held).hasSize(1);
        assertThat(server.held.getFirst()).isBetween((long) NAMES * NAME_BYTES, (long) results.limit());
        assertThat(server.syncsBegun.availablePermits()).isEqualTo(1);
    }

    /** The connection limits what a waiting call may hold. Over RDMA this is the length of the call's chunks. */
    @Test
    void compound_holdsMoreThanItsCallerHasRoomFor_endsWhereItIs() throws Exception {
        server.mostHeldBytes = 4096;
        ByteBuffer results = listAndCommit();
        assertThat(results.getInt()).isEqualTo(DELAY);
        assertThat(server.syncsBegun.availablePermits()).isZero();
    }
}
