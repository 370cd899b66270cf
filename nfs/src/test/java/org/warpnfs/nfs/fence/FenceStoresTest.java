package org.warpnfs.nfs.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.warpnfs.nfs.cluster.FakeObjects;
import org.warpnfs.nfs.cluster.SharedObjects;

/** Where fences are kept: whoever has been taken over changes nothing, wherever it was stopped. */
class FenceStoresTest {
    private static final String NODE = "one";
    private static final FenceEpochs FIRST = FenceEpochs.startingAt(1, 11);
    private static final FenceEpochs SECOND = FenceEpochs.startingAt(2, 22);

    private final FakeObjects objects = new FakeObjects();
    private final FenceStore inObjects = new ObjectFences(objects);

    @TempDir
    private Path directory;

    private FenceStore inDirectory;

    @BeforeEach
    void open() throws IOException {
        inDirectory = DirectoryFences.open(directory);
    }

    private List<FenceStore> both() {
        return List.of(inDirectory, inObjects);
    }

    private static FenceEpochs read(FenceStore store, String node) throws IOException {
        return FenceEpochs.parse(store.read().get(node));
    }

    /** Objects with something that happens once, between the next read and what follows it. */
    private static final class Interrupted implements SharedObjects {
        private final SharedObjects objects;
        Callable<?> once = () -> null;

        Interrupted(SharedObjects objects) {
            this.objects = objects;
        }

        @Override
        public NavigableMap<String, byte[]> read(String object, String prefix) throws IOException {
            NavigableMap<String, byte[]> values = objects.read(object, prefix);
            Callable<?> next = once;
            once = () -> null;
            try {
                Object _ = next.call();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return values;
        }

        @Override
        public boolean change(String object, Change change) throws IOException {
            return objects.change(object, change);
        }
    }

    @Test
    void texts_ofAllServers_areKept() throws IOException {
        for (FenceStore store : both()) {
            FenceStore.Claimed one = store.claim(NODE, FIRST.fence(2, 3));
            store.claim("two", SECOND.fence(2, 3));

            assertThat(one.replace(FIRST)).isTrue();

            assertThat(read(store, NODE)).isEqualTo(FIRST);
            assertThat(read(store, "two")).isEqualTo(SECOND.fence(2, 3));
            assertThat(store.read()).hasSize(2);
        }
    }

    @Test
    void process_thatWasTakenOver_replacesNothing() throws IOException {
        for (FenceStore store : both()) {
            FenceStore.Claimed first = store.claim(NODE, FIRST);
            FenceStore.Claimed second = store.claim(NODE, SECOND);

            assertThat(first.replace(FIRST.fence(2, 3))).isFalse();
            assertThat(read(store, NODE)).isEqualTo(SECOND);
            assertThat(second.replace(SECOND.fence(4, 5))).isTrue();
            assertThat(read(store, NODE)).isEqualTo(SECOND.fence(4, 5));
        }
    }

    @Test
    void process_thatWasTakenOverBeforeItBegan_doesNotBegin() throws IOException {
        for (FenceStore store : both()) {
            store.claim(NODE, SECOND);

            assertThatThrownBy(() -> store.claim(NODE, FIRST))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(NODE)
                    .hasMessageContaining("a later process of this node has taken it over");
            assertThat(read(store, NODE)).isEqualTo(SECOND);
            assertThat(store.read()).hasSize(1);
        }
    }

    @Test
    void textThatSomebodyRemoves_isNotMadeAgain() throws IOException {
        FenceStore.Claimed inFile = inDirectory.claim(NODE, FIRST);
        FenceStore.Claimed inObject = inObjects.claim(NODE, FIRST);
        Files.delete(directory.resolve(NODE));
        objects.remove("fences");

        for (FenceStore.Claimed own : List.of(inFile, inObject)) {
            assertThatThrownBy(() -> own.replace(FIRST.fence(2, 3)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(NODE)
                    .hasMessageContaining("somebody has removed or changed it");
        }
        assertThat(inDirectory.read()).isEmpty();
        assertThat(inObjects.read()).isEmpty();
    }

    @Test
    void textOfAnOlderVersion_isTakenOver() throws IOException {
        byte[] old = "warpnfs fences 1\nprocess ffffffffffffffff\n".getBytes(StandardCharsets.US_ASCII);
        Files.write(directory.resolve(NODE), old);
        assertThat(objects.change("fences", new SharedObjects.Change(null, null, Map.of(NODE, old), Set.of())))
                .isTrue();

        for (FenceStore store : both()) {
            store.claim(NODE, FIRST);
            assertThat(read(store, NODE)).isEqualTo(FIRST);
        }
    }

    @Test
    void object_takenOverBetweenTheLookAndTheChange_isNotChanged() throws IOException {
        Interrupted held = new Interrupted(objects);
        FenceStore.Claimed first = new ObjectFences(held).claim(NODE, FIRST);
        held.once = () -> inObjects.claim(NODE, SECOND);

        assertThat(first.replace(FIRST.fence(2, 3))).isFalse();
        assertThat(read(inObjects, NODE)).isEqualTo(SECOND);
    }

    @Test
    void object_claimedWhileAnEarlierProcessClaimsIt_staysWithTheLater() throws IOException {
        Interrupted held = new Interrupted(objects);
        held.once = () -> inObjects.claim(NODE, SECOND);

        assertThatThrownBy(() -> new ObjectFences(held).claim(NODE, FIRST)).isInstanceOf(IOException.class);
        assertThat(read(inObjects, NODE)).isEqualTo(SECOND);
    }

    /** The engine may make a change after its answer was given up, and the next one meanwhile. */
    @Test
    void change_thatArrivesLate_undoesNoFence() throws IOException {
        List<SharedObjects.Change> late = new ArrayList<>();
        FenceStore.Claimed own = new ObjectFences(new SharedObjects() {
                    @Override
                    public NavigableMap<String, byte[]> read(String object, String prefix) throws IOException {
                        return objects.read(object, prefix);
                    }

                    @Override
                    public boolean change(String object, Change change) throws IOException {
                        if (objects.read(object, "").isEmpty() || !late.isEmpty()) {
                            return objects.change(object, change);
                        }
                        late.add(change);
                        throw new IOException("no answer in time");
                    }
                })
                .claim(NODE, FIRST);
        assertThatThrownBy(() -> own.replace(FIRST.fence(2, 3))).hasMessage("no answer in time");
        assertThat(own.replace(FIRST.fence(2, 3).fence(4, 5))).isTrue();

        assertThat(objects.change("fences", late.getFirst())).isFalse();
        assertThat(read(inObjects, NODE)).isEqualTo(FIRST.fence(2, 3).fence(4, 5));
    }

    /** A process that is stopped in the midst of a write has the file open: it writes to that one. */
    @Test
    void file_thatAnEarlierProcessHasOpen_isNotTheOneThatIsRead() throws IOException {
        inDirectory.claim(NODE, FIRST);
        Path open = Files.createLink(directory.resolve("~open"), directory.resolve(NODE));

        inDirectory.claim(NODE, SECOND);
        Files.write(open, FIRST.fence(2, 3).encode(), StandardOpenOption.WRITE);
        Files.delete(open);

        assertThat(read(inDirectory, NODE)).isEqualTo(SECOND);
    }

    /** Who opened a file before must see what is written to it: listings and names may be known from before. */
    @Test
    void file_isWrittenInPlace() throws IOException {
        FenceStore.Claimed own = inDirectory.claim(NODE, FIRST);
        Path known = Files.createLink(directory.resolve("~known"), directory.resolve(NODE));

        assertThat(own.replace(FIRST.fence(2, 3))).isTrue();

        assertThat(FenceEpochs.parse(Files.readAllBytes(known))).isEqualTo(FIRST.fence(2, 3));
        Files.delete(known);
    }

    @Test
    void claim_removesWhatEarlierProcessesWouldPutInItsPlace() throws IOException {
        String earlier = "one~0000000000000001";
        String later = "one~0000000000000003";
        String ofAnother = "one-two~0000000000000001";
        for (String name : List.of(earlier, later, ofAnother, ".nfs000000000000000100000001")) {
            Files.write(directory.resolve(name), FIRST.encode());
        }

        inDirectory.claim(NODE, SECOND);

        assertThat(directory.resolve(earlier)).doesNotExist();
        assertThat(directory.resolve(later)).exists();
        assertThat(directory.resolve(ofAnother)).exists();
        assertThat(inDirectory.read()).containsOnlyKeys(NODE);
    }

    @Test
    void processes_thatClaimAtOnce_theLastOfThemHasIt() throws Exception {
        int processes = 6;
        try (ExecutorService threads = Executors.newFixedThreadPool(processes)) {
            for (int round = 0; round < 30; round++) {
                for (FenceStore store : both()) {
                    String node = "node" + round;
                    List<Future<FenceStore.Claimed>> claims = new ArrayList<>();
                    for (int process = 1; process <= processes; process++) {
                        FenceEpochs first = FenceEpochs.startingAt(process, process);
                        claims.add(threads.submit(() -> store.claim(node, first)));
                    }
                    List<FenceStore.Claimed> claimed = new ArrayList<>();
                    for (Future<FenceStore.Claimed> claim : claims) {
                        try {
                            claimed.add(claim.get());
                        } catch (ExecutionException e) {
                            assertThat(e).hasCauseInstanceOf(IOException.class);
                        }
                    }
                    assertThat(claimed.getLast().replace(FenceEpochs.startingAt(processes, 77)))
                            .isTrue();
                    assertThat(read(store, node)).isEqualTo(FenceEpochs.startingAt(processes, 77));
                }
            }
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).allMatch(file -> !file.toString().contains("~"));
        }
    }

    @Test
    void directory_withSomethingUnreadable_keepsTheOthers() throws IOException {
        inDirectory.claim(NODE, FIRST);
        Files.createDirectory(directory.resolve("two"));
        FenceView some = new FenceView(inDirectory, () -> 5);

        some.read();

        assertThat(some.of(FenceStamp.tagOf(NODE), false)).containsExactly(FIRST);
        assertThat(some.of(FenceStamp.tagOf("two"), false)).as("not known").isNull();
    }
}
