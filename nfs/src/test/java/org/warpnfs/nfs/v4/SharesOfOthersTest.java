package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/** Opens, and share reservations that clients of NFSv3 made by NLM. */
class SharesOfOthersTest {
    private static final int READ = 1;
    private static final int WRITE = 2;

    private final V4Server server = new V4Server();
    private final FileHandle file = server.newFile("f", 0666, "contents".getBytes(StandardCharsets.US_ASCII));
    private final FileIdentity identity = server.fs.identity(file);
    private final V4Client client = V4Client.mounted(server, "c", 0);

    @AfterEach
    void close() {
        server.close();
    }

    private boolean reserve(int access, int deny) throws FsException {
        boolean[] noted = new boolean[1];
        boolean reserved = server.program().reserve(identity, access, deny, () -> noted[0] = true);
        assertThat(noted[0]).isEqualTo(reserved);
        return reserved;
    }

    private Nfs4Status open(int access, int deny) {
        return client.statusOf(new Ops().data().open("o" + access + deny, "f", access, deny));
    }

    @Test
    void reservation_thatAnOpenExcludes_isRefusedUntilItsClientIsGone() throws FsException {
        assertThat(open(READ, WRITE)).isEqualTo(Nfs4Status.OK);
        assertThat(reserve(WRITE, 0)).isFalse();
        assertThat(reserve(READ, READ)).isFalse();
        assertThat(reserve(READ, WRITE)).isTrue();
        server.pass(Duration.ofSeconds(91));
        assertThat(reserve(WRITE, READ)).isTrue();
        assertThat(client.statusOf(new Ops().root())).isEqualTo(Nfs4Status.BADSESSION);
    }
}
