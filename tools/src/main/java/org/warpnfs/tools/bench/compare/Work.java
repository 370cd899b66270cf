package org.warpnfs.tools.bench.compare;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.warpnfs.tools.bench.Operation;
import org.warpnfs.tools.bench.load.NameLoad;

/** The kinds of work that are measured. */
public enum Work {
    READ_1M("read-1m", "READ 1 MiB", Operation.READ, 1 << 20, 128 << 20),
    WRITE_1M("write-1m", "WRITE 1 MiB", Operation.WRITE, 1 << 20, 128 << 20),
    READ_4K("read-4k", "READ 4 KiB at random", Operation.RANDREAD, 4096, 32 << 20),
    WRITE_4K("write-4k", "WRITE 4 KiB at random", Operation.RANDWRITE, 4096, 32 << 20),
    CREATE("create", "create files", NameLoad.Task.CREATE),
    GETATTR("getattr", "GETATTR of files", NameLoad.Task.GETATTR),
    READDIR("readdir", "READDIR, by entries", NameLoad.Task.READDIR),
    REMOVE("remove", "remove files", NameLoad.Task.REMOVE);

    /** The number of metadata tasks, which are measured together. */
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

    /** A metadata task. It reads and writes no file, and the size only has to hold the reply of a listing. */
    Work(String word, String title, NameLoad.Task task) {
        this.word = word;
        this.title = title;
        this.operation = Operation.READ;
        this.task = task;
        this.sizeBytes = 64 << 10;
        this.fileBytes = 0;
    }

    /** The name in JSON. */
    public String word() {
        return word;
    }

    /** The word on the command line. Work that is measured together has one word. */
    public String choice() {
        return task == null ? word : METADATA;
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

    /** Whether this is the first work of its choice. Its measurement also yields the samples of the others. */
    boolean leads() {
        return task == null || this == CREATE;
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
        return task != null ? List.of(1, 16, 64) : bulk() ? List.of(8) : List.of(1, 8, 32);
    }

    /** Whether the cost is that of the bytes rather than of the calls. */
    boolean bulk() {
        return sizeBytes >= 1 << 20;
    }
}
