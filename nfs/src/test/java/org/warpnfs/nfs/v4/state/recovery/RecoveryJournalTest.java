package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Opaque;

class RecoveryJournalTest {
    private static final RecoveryLog.Change CHANGE = new RecoveryLog.Change.Added(Opaque.of(new byte[] {1}));

    private final FakeRecoveryLog log = new FakeRecoveryLog();
    private final RecoveryJournal journal = new RecoveryJournal(log);

    @Test
    void entry_virtualMachineFailsWhileItIsWritten_failsForAllWhoWait() throws IOException {
        RecoveryJournal.Entry one = journal.note(CHANGE);
        RecoveryJournal.Entry other = journal.note(CHANGE);
        OutOfMemoryError error = new OutOfMemoryError("as a test has it");
        log.setBroken(error);

        assertThatThrownBy(() -> journal.await(one)).isSameAs(error);
        assertThat(other.isDone()).as("else its client would wait for ever").isTrue();
        assertThatThrownBy(() -> journal.await(other)).isInstanceOf(IOException.class);

        log.setBroken(null);
        journal.await(journal.note(CHANGE));
        assertThat(log.changes()).containsExactly(CHANGE);
    }
}
