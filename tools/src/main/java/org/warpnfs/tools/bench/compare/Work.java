package org.warpnfs.tools.bench.compare;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.tools.bench.Operation;
import org.warpnfs.tools.bench.load.NameLoad;

/** What is asked of a server, over and over. */
public enum Work {
    READ_1M("read-1m", "READ 1 MiB", Operation.READ, 1 << 20, 128 << 20),
    WRITE_1M("write-1m", "WRITE 1 MiB", Operation.WRITE, 1 << 20, 128 << 20),
    READ_4K("read-4k", "READ 4 KiB at random", Operation.RANDREAD, 4096, 32 << 20),
    WRITE_4K("write-4k", "WRITE 4 KiB at random", Operation.RANDWRITE, 4096, 32 << 20),
    CREATE("create", "create files", NameLoad.Task.CREATE),
    GETATTR("getattr", "GETATTR of files", NameLoad.Task.GETATTR),
    READDIR("readdir", "READDIR, by entries", NameLoad.Task.READDIR),
    REMOVE("remove", "remove files", NameLoad.Task.REMOVE);

    /** Kinds of work with names, which are measured together. */
    static final int TASKS = NameLoad.Task.values().length;

    private static final String METADATA = "metadata";

    private final String word;
    private final String title;
    private final Operation operation;
    private final NameLoad.@Nullable Task task;
    private final int sizeBytes;
    private final int fileBytes;

    Work(String word, String title, Operation operation, int sizeBytes, int fileBytes) {
        this.word = word;
        this.title = title;
        this.operation = operation;
        this.task = null;
        this.sizeBytes = sizeBytes;
        this.fileBytes = fileBytes;
    }

    /** Room for what a directory's listing brings; nothing is read or written. */
    Work(String word, String title, NameLoad.Task task) {
        this.word = word;
        this.title = title;
        this.operation = Operation.READ;
        this.task = task;
        this.sizeBytes = 64 << 10;
        this.fileBytes = 0;
    }

    /** What it is called in JSON. */
    public String word() {
        return word;
    }

    /** What it is called on the command line: what is measured together has one name. */
    public String choice() {
        return task == null ? word : METADATA;
    }

    /** What it is called in tables. */
    public String title() {
        return title;
    }

    Operation operation() {
        return operation;
    }

    /** Empty where files are read or written. */
    Optional<NameLoad.Task> task() {
        return Optional.ofNullable(task);
    }

    /** Whether a measurement of this brings what others of the same choice have too: it is the first of them. */
    boolean leads() {
        return task == null || this == CREATE;
    }

    /** Of each READ or WRITE. */
    int sizeBytes() {
        return sizeBytes;
    }

    /** Of the file, which stays in the page cache. */
    int fileBytes() {
        return fileBytes;
    }

    /** Calls in flight that the goals speak of. */
    List<Integer> depths() {
        return task != null ? List.of(1, 16, 64) : bulk() ? List.of(8) : List.of(1, 8, 32);
    }

    /** Whether bytes cost what it costs, and not calls. */
    boolean bulk() {
        return sizeBytes >= 1 << 20;
    }
}
