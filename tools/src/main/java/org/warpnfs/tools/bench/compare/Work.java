package org.warpnfs.tools.bench.compare;

import java.util.List;
import org.warpnfs.tools.bench.Operation;

/** What is asked of a server, over and over. */
public enum Work {
    READ_1M("read-1m", "READ 1 MiB", Operation.READ, 1 << 20, 128 << 20),
    WRITE_1M("write-1m", "WRITE 1 MiB", Operation.WRITE, 1 << 20, 128 << 20),
    READ_4K("read-4k", "READ 4 KiB at random", Operation.RANDREAD, 4096, 32 << 20),
    WRITE_4K("write-4k", "WRITE 4 KiB at random", Operation.RANDWRITE, 4096, 32 << 20);

    private final String word;
    private final String title;
    private final Operation operation;
    private final int sizeBytes;
    private final int fileBytes;

    Work(String word, String title, Operation operation, int sizeBytes, int fileBytes) {
        this.word = word;
        this.title = title;
        this.operation = operation;
        this.sizeBytes = sizeBytes;
        this.fileBytes = fileBytes;
    }

    /** What it is called on the command line. */
    public String word() {
        return word;
    }

    /** What it is called in tables. */
    public String title() {
        return title;
    }

    Operation operation() {
        return operation;
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
        return bulk() ? List.of(8) : List.of(1, 8, 32);
    }

    /** Whether bytes cost what it costs, and not calls. */
    boolean bulk() {
        return sizeBytes >= 1 << 20;
    }
}
