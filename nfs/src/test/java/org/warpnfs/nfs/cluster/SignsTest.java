package org.warpnfs.nfs.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a node makes of signs of life that it cannot read. */
class SignsTest {
    private static final ClusterTiming TIMING = new ClusterTiming(1, 5, 8, 20);

    @TempDir
    Path directory;

    private DirectoryStore store;
    private Lookout lookout;
    private ClusterStore.Versioned latest;
    private Membership a;
    private long now;

    @BeforeEach
    void open() throws IOException {
        store = DirectoryStore.open(directory);
        lookout = new Lookout(store, "a", Long.MAX_VALUE, () -> now);
        ClusterRecord record = store.read().record().join("b").join("c").join("a");
        latest = new ClusterStore.Versioned(1, record);
        a = new Membership("a", TIMING, latest, 0, new Random(1));
        store.beat("a", new Beat(3, 1, 1, false));
        store.beat("c", new Beat(2, 1, 1, false));
    }

    private void damage(String node) throws IOException {
        Path beat = directory.resolve("beats").resolve(node);
        Files.deleteIfExists(beat);
        // Reading it fails, whoever does it.
        Files.createDirectory(beat);
    }

    /** What the record is after a node has looked and stepped; a loop without end fails. */
    private void settle() throws IOException {
        for (int attempt = 0; attempt < 20; attempt++) {
            a.renewed(now, now, latest);
            Signs signs = lookout.look(a.watched(latest.record()));
            switch (a.step(now, new View(latest, signs, now))) {
                case Membership.Step.Propose(ClusterRecord next) ->
                    latest = new ClusterStore.Versioned(latest.version() + 1, next);
                case Membership.Step.Prepare(long epoch) -> a.prepared(epoch);
                case Membership.Step.Look() -> {}
                case Membership.Step.Idle() -> {
                    return;
                }
                case Membership.Step.Lost() -> throw new AssertionError("lost at " + now);
            }
        }
        throw new AssertionError("no end at " + now);
    }

    private boolean isRunning(String node) {
        Member member = latest.record().member(node);
        return member != null && member.running();
    }

    @Test
    void signThatCannotBeRead_isNotSilence_andTheOthersAreSeen() throws IOException {
        damage("b");
        for (now = 0; now <= 3 * TIMING.deadNanos(); now++) {
            settle();
        }
        assertThat(a.isLost(now)).isFalse();
        assertThat(isRunning("b")).isTrue();
        assertThat(isRunning("c")).as("c gives no sign of life").isFalse();
    }

    @Test
    void signThatCanBeReadAgain_andHasNotChanged_isSilence() throws IOException {
        store.beat("b", new Beat(1, 1, 1, false));
        settle();
        damage("b");
        for (now = 1; now < TIMING.deadNanos() - 1; now++) {
            settle();
        }
        Files.delete(directory.resolve("beats/b"));
        store.beat("b", new Beat(1, 2, 1, false));
        settle();
        assertThat(isRunning("b")).isTrue();
        for (long until = now + TIMING.deadNanos(); now <= until; now++) {
            settle();
        }
        assertThat(isRunning("b")).isFalse();
    }

    @Test
    void nodeThatWritesForOthers_doesNotWaitForASignThatCannotBeRead() throws IOException {
        damage("b");
        latest = new ClusterStore.Versioned(2, latest.record().failed("c", 2));
        settle();
        Member own = latest.record().member("a");
        assertThat(own != null && own.enforcing() == latest.record().epoch()).isTrue();
    }

    @Test
    void onlyOtherNode_whoseSignCannotBeRead_keepsThisOneFromNothing() throws IOException {
        damage("b");
        Signs signs = lookout.look(Set.of("b"));
        assertThat(signs.nodes()).isEmpty();
        assertThat(signs.hasTried(Set.of("b"))).isTrue();
    }

    @Test
    void notEvenItsOwnSign_isTheDirectorysFailure() throws IOException {
        damage("b");
        damage("a");
        assertThatThrownBy(() -> lookout.look(Set.of("b"))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> lookout.look(Set.of("a"))).isInstanceOf(IOException.class);
    }

    /** Reading a sign of one of these takes a nanosecond, and fails. */
    private Lookout slowLookout(Set<String> slow, List<String> tried) {
        SharedObjects objects = new SharedObjects() {
            @Override
            public NavigableMap<String, byte[]> read(String object, String prefix) throws IOException {
                String node = object.substring("beat.".length());
                tried.add(node);
                if (slow.contains(node)) {
                    now++;
                    throw new IOException("no answer in time");
                }
                return new TreeMap<>();
            }

            @Override
            public boolean change(String object, Change change) {
                throw new AssertionError("nothing is changed by looking");
            }
        };
        return new Lookout(new ObjectStore(objects), "own", 2, () -> now);
    }

    @Test
    void signsThatTakeLongToFail_doNotHoldUpTheNextSignOfLife_andEachIsTriedInTurn() throws IOException {
        Set<String> slow = new TreeSet<>(Set.of("b", "c", "d", "e", "f"));
        Set<String> all = new TreeSet<>(slow);
        all.add("g");
        List<String> tried = new ArrayList<>();
        Lookout slowly = slowLookout(slow, tried);
        for (int i = 0; i < 4; i++) {
            long before = now;
            Signs signs = slowly.look(all);
            assertThat(now - before).as("time that it took").isEqualTo(2);
            assertThat(signs.hasTried(all)).isTrue();
            if (i > 1) {
                assertThat(signs.nodes()).as("those that can be read").containsExactly("g");
            }
        }
        assertThat(tried).containsAll(slow);
    }
}
