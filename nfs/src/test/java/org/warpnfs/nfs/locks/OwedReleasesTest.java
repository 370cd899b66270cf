package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a file owes its backend while the first release is under way. */
class OwedReleasesTest {
    private static final NamedLocks.Named OWNER = new NamedLocks.Named("o");

    private final FileLocks file = new FileLocks(NamedLocks.file(1));

    private List<BackendLocks.Owed> madeInOrder() {
        List<BackendLocks.Owed> made = new ArrayList<>();
        for (BackendLocks.Due due = file.nextOwed(); due != null; due = file.nextOwed()) {
            made.add(due.owed());
            file.isMade(due.owed());
        }
        return made;
    }

    @Test
    void release_thatIsUnderWayIsAskedForAgain_isMadeOnceMore() {
        BackendLocks.Owed all = new BackendLocks.Owed(OWNER, ByteRange.ALL);
        file.owe(OWNER, ByteRange.ALL);
        assertThat(file.nextOwed()).isNotNull();

        file.owe(OWNER, ByteRange.ALL);
        file.owe(OWNER, ByteRange.ALL);

        assertThat(madeInOrder()).containsExactly(all, all);
    }

    @Test
    void releases_manyBehindOneOfEverything_areNotLost() {
        file.owe(OWNER, ByteRange.ALL);
        for (int i = 0; i < 100; i++) {
            file.owe(OWNER, NamedLocks.range(i, i));
        }

        assertThat(madeInOrder()).hasSizeGreaterThan(1).last().isEqualTo(new BackendLocks.Owed(OWNER, ByteRange.ALL));
    }

    @Test
    void release_thatFailsAfterItWasAskedForAgain_isMadeOnce() {
        BackendLocks.Owed all = new BackendLocks.Owed(OWNER, ByteRange.ALL);
        file.owe(OWNER, ByteRange.ALL);
        file.owe(OWNER, ByteRange.ALL);

        file.putOff(all);

        assertThat(madeInOrder()).containsExactly(all);
    }
}
