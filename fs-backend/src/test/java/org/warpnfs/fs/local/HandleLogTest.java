package org.warpnfs.fs.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The table of handles on disk. */
class HandleLogTest {
    /** Files that the one log in the directory tells of. */
    static int entriesIn(Path state) throws IOException {
        List<Path> logs;
        try (Stream<Path> all = Files.list(state)) {
            logs = all.filter(path -> path.toString().endsWith(".log")).toList();
        }
        String name = logs.getFirst().getFileName().toString();
        long treeId = Long.parseUnsignedLong(name.substring("handles-".length(), name.length() - ".log".length()), 16);
        Map<FileKey, Place> table = new HashMap<>();
        HandleLog.open(state, treeId, table).close();
        return table.size();
    }
}
