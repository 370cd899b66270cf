package org.warpnfs.nfs.export;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileIdentity;

class ChangeWindowsTest {
    private static final FileIdentity A = new FileIdentity("medium", FileHandle.of(new byte[] {1}));
    private static final FileIdentity B = new FileIdentity("medium", FileHandle.of(new byte[] {2}));

    private final ChangeWindows windows = new ChangeWindows();

    @Test
    void end_aloneEachTime_isTrue() {
        for (int i = 0; i < 100_000; i++) {
            assertThat(windows.begin(A).end()).isTrue();
        }
    }

    @Test
    void end_anotherBeganAndEndedMeanwhile_isFalse() {
        ChangeWindows.Window outer = windows.begin(A);
        assertThat(windows.begin(A).end()).isFalse();
        assertThat(outer.end()).isFalse();
        assertThat(windows.begin(A).end()).isTrue();
    }

    @Test
    void end_interleaved_isFalseForBoth() {
        ChangeWindows.Window first = windows.begin(A);
        ChangeWindows.Window second = windows.begin(A);
        assertThat(first.end()).isFalse();
        assertThat(second.end()).isFalse();
    }

    @Test
    void end_anotherFileMeanwhile_isTrue() {
        ChangeWindows.Window first = windows.begin(A);
        ChangeWindows.Window second = windows.begin(B);
        assertThat(first.end()).isTrue();
        assertThat(second.end()).isTrue();
    }
}
