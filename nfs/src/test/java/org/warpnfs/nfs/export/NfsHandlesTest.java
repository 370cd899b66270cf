package org.warpnfs.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;

class NfsHandlesTest {
    private static final byte[] SECRET = "0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private final Export export = ExportTableTest.export("/data");
    private final ExportTable table = ExportTable.of(List.of(export));
    private final NfsHandles handles = new NfsHandles(table, SECRET);

    @Test
    void decode_ownHandle_isTheSameLocation() throws HandleViolation {
        for (int length = 0; length <= FileHandle.MAX_LENGTH_BYTES; length++) {
            byte[] file = new byte[length];
            Arrays.fill(file, (byte) length);
            Location location = new Location(export, FileHandle.of(file));
            byte[] handle = handles.encode(location);
            assertThat(handle).hasSizeLessThanOrEqualTo(NfsHandles.MAX_LENGTH_BYTES);
            assertThat(handles.decode(handle)).isEqualTo(location);
        }
        assertThat(handles.decode(handles.encode(table.root()))).isEqualTo(table.root());
    }

    @Test
    void decode_anyBitChanged_isBad() {
        byte[] handle = handles.encode(export.root());
        for (int bit = 0; bit < handle.length * 8; bit++) {
            byte[] forged = handle.clone();
            forged[bit / 8] ^= (byte) (1 << bit % 8);
            assertRefused(FsError.BAD_HANDLE, handles, forged);
        }
    }

    @Test
    void decode_anyOtherLength_isBad() {
        byte[] handle = handles.encode(export.root());
        for (int length = 0; length < 200; length++) {
            if (length != handle.length) {
                assertRefused(FsError.BAD_HANDLE, handles, Arrays.copyOf(handle, length));
            }
        }
    }

    @Test
    void decode_otherSecret_isBad() {
        NfsHandles other =
                new NfsHandles(table, "0123456789abcdeF".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        assertRefused(FsError.BAD_HANDLE, other, handles.encode(export.root()));
    }

    @Test
    void decode_exportGone_isStale() {
        NfsHandles later = new NfsHandles(ExportTable.of(List.of(ExportTableTest.export("/other"))), SECRET);
        assertRefused(FsError.STALE, later, handles.encode(export.root()));
    }

    @Test
    void decode_serverStartedAgain_isTheSameFile() throws HandleViolation {
        Export again = Export.of(export.path(), export.fileSystem(), export.policy(), export.source());
        NfsHandles later = new NfsHandles(ExportTable.of(List.of(again)), SECRET);
        assertThat(later.decode(handles.encode(export.root()))).isEqualTo(again.root());
    }

    @Test
    void construct_secretOfAnotherLength_saysSo() {
        assertThatThrownBy(() -> new NfsHandles(table, new byte[15])).hasMessageContaining("secret");
    }

    private static void assertRefused(FsError error, NfsHandles handles, byte[] handle) {
        assertThatThrownBy(() -> handles.decode(handle))
                .isInstanceOfSatisfying(
                        HandleViolation.class, e -> assertThat(e.error()).isEqualTo(error));
    }
}
