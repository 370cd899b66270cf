package org.warpnfs.nfs.v4.state.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.warpnfs.nfs.v4.xdr.Opaque;

class RecoveryJournalTest {
    private static final RecoveryLog.Change CHANGE = new RecoveryLog.Change.Added(Opaque.of(new byte[] {1}));

    private final Log log = new Log();
    private final RecoveryJournal journal = new RecoveryJournal(log);

    @Test
    void entry_virtualMachineFailsWhileItIsWritten_failsForAllWhoWait() throws IOException {
        RecoveryJournal.Entry one = journal.note(CHANGE);
        RecoveryJournal.Entry other = journal.note(CHANGE);
        log.error = new OutOfMemoryError("as a test has it");
        assertThatThrownBy(() -> journal.await(one)).isSameAs(log.error);
        assertThat(other.isDone()).as("else its client would wait for ever").isTrue();
        assertThatThrownBy(() -> journal.await(other)).isInstanceOf(IOException.class);
        log.error = null;
        journal.await(journal.note(CHANGE));
        assertThat(log.written).isEqualTo(1);
    }

    private static final class Log implements RecoveryLog {
        private Error error;
        private int written;

        @Override
        public int instance() {
            return 1;
        }

        @Override
        public byte[] serverIdentity() {
            return new byte[16];
        }

        @Override
        public Set<Opaque> reclaimers() {
            return Set.of();
        }

        @Override
        public void write(List<Change> changes) {
            if (error != null) {
                throw error;
            }
            written += changes.size();
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
