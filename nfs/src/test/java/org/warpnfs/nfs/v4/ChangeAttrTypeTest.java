package org.warpnfs.nfs.v4;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.local.LocalOptions;
import org.warpnfs.fs.memory.MemoryFileSystem;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * What clients may conclude from two change attributes (RFC 7862, section 12.2.3): what the backend guarantees, and no
 * more.
 */
class ChangeAttrTypeTest {
    private static final int MONOTONIC_INCR = 0;
    private static final int UNDEFINED = 4;

    /** change and change_attr_type, by their numbers 3 and 79. */
    private static long[] changeAndItsType(V4Client client, Ops at, int before) {
        Reply reply = client.run(at.getAttr(1 << 3, 0, 1 << (79 - 64)));
        for (int i = 0; i < before; i++) {
            reply.words(2);
        }
        reply.op(OpCode.GETATTR);
        assertThat(reply.words(4)).containsExactly(3, 1 << 3, 0, 1 << (79 - 64));
        assertThat(reply.word()).isEqualTo(12);
        return new long[] {reply.hyper(), reply.word()};
    }

    @Test
    void changeAttrType_ofEachKindOfFile_isWhatItsBackendKeeps(@TempDir Path directory) throws Exception {
        try (MemoryFileSystem memory = new MemoryFileSystem(1 << 20, 100);
                LocalFileSystem local = LocalFileSystem.open(directory, LocalOptions.DEFAULTS);
                V4Server server = V4Server.exporting(Map.of("/memory", memory, "/local", local))) {
            V4Client client = V4Client.mounted(server, "a", 0);

            assertThat(changeAndItsType(client, new Ops().root().lookup("memory"), 2)[1])
                    .isEqualTo(MONOTONIC_INCR);
            assertThat(changeAndItsType(client, new Ops().root().lookup("local"), 2)[1])
                    .as("the clock of its host may go back")
                    .isEqualTo(UNDEFINED);
        }
    }

    @Test
    void changeAttrType_ofVirtualDirectories_promisesNoOrder() {
        try (V4Server server = new V4Server()) {
            long[] root = changeAndItsType(V4Client.mounted(server, "a", 0), new Ops().root(), 1);

            assertThat(root[1]).isEqualTo(UNDEFINED);
            assertThat(root[0] >>> 32).as("all 64 bits are used").isNotZero();
        }
    }
}
