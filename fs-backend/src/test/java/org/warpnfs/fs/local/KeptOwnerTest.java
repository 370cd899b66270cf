package org.warpnfs.fs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.warpnfs.fs.local.libc.Fd;
import org.warpnfs.fs.local.libc.OpenCalls;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.Ownership;

/** The attribute of an open file: what is believed of it without another look, and for how long. */
class KeptOwnerTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private Path path;
    private Fd file;
    private long nowNanos;

    @BeforeEach
    void create() throws Exception {
        path = Files.createTempFile(LocalBackend.TMPFS, "warpnfs-kept", "");
        file = OpenCalls.open(path.toString().getBytes(StandardCharsets.UTF_8), OpenCalls.O_RDWR);
        belongTo(1000);
    }

    @AfterEach
    void remove() throws Exception {
        file.close();
        Files.delete(path);
    }

    /** As somebody on the host would. */
    private void belongTo(long uid) throws Exception {
        OwnerAttribute.of(FileType.REGULAR, new Ownership(0644, uid, uid, Acls.NONE), 0, 0)
                .write(file);
    }

    private KeptOwner kept(long secondsAfterTheChange) throws Exception {
        Instant now = Instant.ofEpochSecond(AttributeReader.statx(file).changeSeconds() + secondsAfterTheChange);
        return new KeptOwner(() -> nowNanos, Clock.fixed(now, ZoneOffset.UTC));
    }

    private long owner(KeptOwner kept) throws Exception {
        return kept.of(file, AttributeReader.statx(file)).uid();
    }

    @Test
    void unknown_isReadOnlyByWhoMayWait() throws Exception {
        KeptOwner kept = kept(60);
        assertThat(kept.known(AttributeReader.statx(file))).isNull();

        assertThat(owner(kept)).isEqualTo(1000);
        assertThat(kept.known(AttributeReader.statx(file))).isNotNull();
    }

    @Test
    void fileThatStaysAsItIs_isKnownForGood() throws Exception {
        KeptOwner kept = kept(60);
        owner(kept);
        nowNanos += 1000 * SECOND;
        assertThat(kept.known(AttributeReader.statx(file))).isNotNull();
    }

    @Test
    void fileThatWasChangedAMomentAgo_isKnownForASecond_sinceAnotherChangeMayHaveThisTime() throws Exception {
        KeptOwner kept = kept(0);
        owner(kept);
        nowNanos += SECOND - 1;
        assertThat(kept.known(AttributeReader.statx(file))).isNotNull();
        nowNanos++;
        assertThat(kept.known(AttributeReader.statx(file))).isNull();
    }

    @Test
    void changeByThisProcess_countsAtOnce() throws Exception {
        KeptOwner kept = kept(60);
        owner(kept);
        belongTo(1001);
        KeptOwner.changed(AttributeReader.statx(file));

        assertThat(kept.known(AttributeReader.statx(file))).isNull();
        assertThat(owner(kept)).isEqualTo(1001);
    }

    @Test
    void changeOnTheHost_countsWithinASecond() throws Exception {
        KeptOwner kept = kept(60);
        owner(kept);
        long before = AttributeReader.statx(file).changeNanos();
        while (AttributeReader.statx(file).changeNanos() == before) {
            belongTo(1001);
        }

        nowNanos += SECOND;
        assertThat(owner(kept)).isEqualTo(1001);
    }

    @Test
    void writesOfAFile_readItsAttributeOnceASecond() throws Exception {
        KeptOwner kept = kept(60);
        owner(kept);
        OwnerAttribute known = kept.known(AttributeReader.statx(file));
        long before = AttributeReader.statx(file).changeNanos();
        while (AttributeReader.statx(file).changeNanos() == before) {
            Files.writeString(path, "text");
        }
        assertThat(kept.of(file, AttributeReader.statx(file))).isSameAs(known);
    }

    @Test
    void threadThatMustNotWait_keepsToWhatItFoundKnown() throws Exception {
        KeptOwner kept = kept(0);
        owner(kept);
        OwnerAttribute known = kept.known(AttributeReader.statx(file));
        nowNanos += SECOND;
        assertThat(kept.knownLately(file, AttributeReader.statx(file))).isSameAs(known);

        belongTo(1001);
        KeptOwner.changed(AttributeReader.statx(file));
        assertThat(kept.knownLately(file, AttributeReader.statx(file)).uid()).isEqualTo(1001);
    }
}
