package org.warpnfs.fs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.warpnfs.fs.spi.AttributeChanges;
import org.warpnfs.fs.spi.AttributeChanges.TimeChange;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.Timestamp;

/** What a backend says that it can do is what it does. What it does not say, it refuses. */
public abstract class CapabilityContract extends ContractFixture {
    @Test
    void tree_asItSays_canBeWritten() {
        assertThat(can(Capability.WRITE))
                .as("for a tree that cannot, there is ReadOnlyBackendContract")
                .isTrue();
    }

    @Test
    void capability_thatIsMissing_isRefused() throws Exception {
        for (Capability capability : Capability.values()) {
            if (!can(capability)) {
                new Refusals(this).check(capability);
                stop();
                start();
            }
        }
    }

    @Test
    void limits_whileItIsOpen_stay() throws Exception {
        FsLimits limits = fs.limits();
        directory(root, "d");
        assertThat(fs.limits()).isEqualTo(limits);
        assertThat(limits.maxLinks() > 1).isEqualTo(can(Capability.HARD_LINKS));
    }

    @Test
    void names_ofTheGreatestLength_areKept() throws Exception {
        int longest = fs.limits().maxNameBytes();
        FileHandle file = file(root, "n".repeat(longest));
        assertThat(lookup(root, "n".repeat(longest)).handle()).isEqualTo(file);
        if (longest < 255) {
            assertFails(FsError.NAME_TOO_LONG, () -> file(root, "n".repeat(longest + 1)));
        }
    }

    @Test
    void names_inAnyCase_areTreatedAsItSays() throws Exception {
        FileHandle file = file(root, "MixedCase");
        assertThat(lookup(root, "MixedCase").handle()).isEqualTo(file);
        if (can(Capability.CASE_INSENSITIVE)) {
            assertThat(lookup(root, "mixedcase").handle()).isEqualTo(file);
        } else {
            assertFails(FsError.NO_ENTRY, () -> lookup(root, "mixedcase"));
        }
        assertThat(names(root).contains("MixedCase")).isEqualTo(!can(Capability.CASE_FOLDING));
    }

    @Test
    void times_thatAreSet_areKeptToTheStep() throws Exception {
        FileHandle file = file(root, "f");
        TimeChange time = new TimeChange.To(new Timestamp(1_000_000_001, 123_456_789));
        fs.setAttributes(ROOT, file, new AttributeChanges(null, null, null, null, time, time));
        assertThat(attributes(file).modifyTime()).isEqualTo(stepped(1_000_000_001, 123_456_789));
    }
}
