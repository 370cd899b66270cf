package org.warpnfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.server.LanesServer.MIB;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A COMPOUND that has listed a directory and goes on in another lane: what it has listed is on the heap while it waits
 * there.
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

    /** PUTROOTFH, READDIR, PUTFH, COMMIT. */
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

    /** Over RDMA a call has room for what its chunks are long: it does not wait with more. */
    @Test
    void compound_holdsMoreThanItsCallerHasRoomFor_endsWhereItIs() throws Exception {
        server.mostHeldBytes = 4096;
        ByteBuffer results = listAndCommit();
        assertThat(results.getInt()).isEqualTo(DELAY);
        assertThat(server.syncsBegun.availablePermits()).isZero();
    }
}
