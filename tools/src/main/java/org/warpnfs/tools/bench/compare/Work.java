package org.warpnfs.tools.bench.compare;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.tools.bench.Operation;
import org.warpnfs.tools.bench.load.NameLoad;
import org.warpnfs.tools.bench.nfs.NameCalls;

/** The kinds of work that are measured. */
public enum Work {
    READ_1M("read-1m", "READ 1 MiB", Operation.READ, 1 << 20, 128 << 20),
    WRITE_1M("write-1m", "WRITE 1 MiB", Operation.WRITE, 1 << 20, 128 << 20),
    READ_4K("read-4k", "READ 4 KiB at random", Operation.RANDREAD, 4096, 32 << 20),
    WRITE_4K("write-4k", "WRITE 4 KiB at random", Operation.RANDWRITE, 4096, 32 << 20),
    CREATE("create", "create files", NameLoad.Task.CREATE),
    GETATTR("getattr", "GETATTR of files", NameLoad.Task.GETATTR),
    READDIR("readdir", "READDIR, by entries", NameLoad.Task.READDIR),
    REMOVE("remove", "remove files", NameLoad.Task.REMOVE),
    CHANGE("change", "create + remove, both counted", NameLoad.Task.CHANGE),
    LIST_1000("readdir-1000", "READDIR of 100,000 names, 1000 bytes a reply, by entries", 1000, false),
    LIST_4K("readdir-4k", "READDIR of 100,000 names, 4 KiB a reply, by entries", 4 << 10, false),
    LIST_64K("readdir-64k", "READDIR of 100,000 names, 64 KiB a reply, by entries", 64 << 10, false),
    PLUS_1000("readdirplus-1000", "READDIRPLUS of 100,000 names, 1000 bytes a reply, by entries", 1000, true),
    PLUS_4K("readdirplus-4k", "READDIRPLUS of 100,000 names, 4 KiB a reply, by entries", 4 << 10, true),
    PLUS_64K("readdirplus-64k", "READDIRPLUS of 100,000 names, 64 KiB a reply, by entries", 64 << 10, true);

    private static final String METADATA = "metadata";
    private static final String CHANGES = "changes";
    private static final String LISTING = "listing";
    /** The size of transfers that a server must accept before it is asked for metadata: the largest reply fits. */
    private static final int METADATA_BYTES = 128 << 10;

    private final String word;
    private final String title;
    private final Operation operation;
    private final NameLoad.@Nullable Task task;
    private final NameCalls.@Nullable Listing listing;
    private final int sizeBytes;
    private final int fileBytes;

    Work(String word, String title, Operation operation, int sizeBytes, int fileBytes) {
        this.word = word;
        this.title = title;
        this.operation = operation;
        this.task = null;
        this.listing = null;
        this.sizeBytes = sizeBytes;
        this.fileBytes = fileBytes;
    }

    /** A metadata task. It reads and writes no file, and the size only has to hold the reply of a listing. */
    Work(String word, String title, NameLoad.Task task) {
        this.word = word;
        this.title = title;
        this.operation = Operation.READ;
        this.task = task;
        this.listing = null;
        this.sizeBytes = METADATA_BYTES;
        this.fileBytes = 0;
    }

    /** The listing of {@link ManyNames}, one call after the other. */
    Work(String word, String title, int replyBytes, boolean plus) {
        this.word = word;
        this.title = title;
        this.operation = Operation.READ;
        this.task = NameLoad.Task.READDIR;
        this.listing = new NameCalls.Listing(replyBytes, plus);
        this.sizeBytes = METADATA_BYTES;
        this.fileBytes = 0;
    }

    /** The name in JSON. */
    public String word() {
        return word;
    }

    /** The word on the command line. Work that is measured together has one word. */
    public String choice() {
        if (listing != null) {
            return LISTING;
        }
        return task == null ? word : this == CHANGE ? CHANGES : METADATA;
    }

    /** The title in tables. */
    public String title() {
        return title;
    }

    Operation operation() {
        return operation;
    }

    /** The metadata task. Empty if this work reads or writes a file. */
    Optional<NameLoad.Task> task() {
        return Optional.ofNullable(task);
    }

    /** The form of the listing of {@link ManyNames}. Empty for any other work. */
    Optional<NameCalls.Listing> listing() {
        return Optional.ofNullable(listing);
    }

    /** Whether this is one of the tasks that are measured together, one after the other in the same directory. */
    boolean inTurn() {
        return task != null && listing == null && this != CHANGE;
    }

    /** Whether this has a measurement of its own. That of the first task also yields the samples of the others. */
    boolean leads() {
        return !inTurn() || this == CREATE;
    }

    /** The size of each READ or WRITE. */
    int sizeBytes() {
        return sizeBytes;
    }

    /** The size of the file, which stays in the page cache. */
    int fileBytes() {
        return fileBytes;
    }

    /** The numbers of calls in flight that the goals use. */
    List<Integer> depths() {
        if (listing != null) {
            return List.of(1);
        }
        return task != null ? List.of(1, 16, 64) : bulk() ? List.of(8) : List.of(1, 8, 32);
    }

    /** Whether the cost is that of the bytes rather than of the calls. */
    boolean bulk() {
        return sizeBytes >= 1 << 20;
    }
}
