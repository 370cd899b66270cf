package org.warpnfs.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.warpnfs.testkit.OwnNetwork;

/** Whole calls over sockets once more, with segments as long as those of Ethernet, which FPDUs fit. */
class ShortSegmentsTest {
    private static @Nullable OwnNetwork network;

    @BeforeAll
    static void enter() {
        assumeTrue(OwnNetwork.permitted());
        network = new OwnNetwork();
    }

    @AfterAll
    static void leave() throws IOException {
        if (network != null) {
            network.close();
            network = null;
        }
    }

    @Nested
    class Changing extends ChangingFilesTest {
        /** The way with the most to go wrong: ranges of files that change, in frames with CRCs. */
        @Override
        @ParameterizedTest
        @EnumSource(names = "RDMA_WITH_CRC")
        void file_changedWhileItIsRead_comesInWellFormedRepliesAndIsClosed(Way way) throws Exception {
            super.file_changedWhileItIsRead_comesInWellFormedRepliesAndIsClosed(way);
        }
    }

    @Nested
    class Lent extends LentPagesTest {}

    @Nested
    class Serving extends WarpServerTest {}
}
