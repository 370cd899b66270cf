package org.warpnfs.fs.local;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The users or groups that exist in this process's user namespace (user_namespaces(7)).
 *
 * @param ranges ordered by first id
 */
record IdMap(List<Range> ranges) {
    /** Number of ids in the initial namespace: all but (uid_t) -1. */
    private static final long ALL = 0xffff_ffffL;

    /**
     * The id that the kernel shows for an id outside of the namespace (/proc/sys/kernel/overflowuid and overflowgid).
     * Nobody changes these settings.
     */
    private static final long OVERFLOW_ID = 65_534;

    private static final Splitter FIELDS = Splitter.on(CharMatcher.whitespace()).omitEmptyStrings();

    static IdMap ofUsers() throws IOException {
        return read(Path.of("/proc/self/uid_map"));
    }

    static IdMap ofGroups() throws IOException {
        return read(Path.of("/proc/self/gid_map"));
    }

    private static IdMap read(Path path) throws IOException {
        return parse(Files.readAllLines(path, StandardCharsets.ISO_8859_1));
    }

    /** Parses lines of three numbers: first id inside, first id outside, count. */
    static IdMap parse(List<String> lines) throws IOException {
        List<Range> ranges = new ArrayList<>();
        for (String line : lines) {
            List<String> fields = FIELDS.splitToList(line);
            if (fields.size() != 3) {
                throw new IOException("invalid line in the id map of the user namespace: \"" + line + "\"");
            }
            ranges.add(new Range(Long.parseLong(fields.get(0)), Long.parseLong(fields.get(2))));
        }
        return new IdMap(List.copyOf(ranges));
    }

    /** True if every id exists in the namespace. */
    boolean isWhole() {
        return ranges.stream().anyMatch(range -> range.first() == 0 && range.count() == ALL);
    }

    /**
     * The owner that stat(2) shows for a file whose owner has no id here, or -1 if every owner has one. A caller with
     * this id must not be taken for the owner of such a file.
     */
    long unknown() {
        return isWhole() ? -1 : OVERFLOW_ID;
    }

    /** Any id other than 0, or 0 if there is none. */
    long other() {
        for (Range range : ranges) {
            if (range.first() > 0 && range.count() > 0) {
                return range.first();
            }
            if (range.count() > 1) {
                return range.first() + 1;
            }
        }
        return 0;
    }

    /** Text that says which callers are served, empty if all are. */
    String limits(String what) {
        return isWhole()
                ? ""
                : "; a user namespace: callers of %s ids other than %s get ACCESS".formatted(what, ranges);
    }

    /** A range of consecutive ids. */
    record Range(long first, long count) {
        @Override
        public String toString() {
            return first + " to " + (first + count - 1);
        }
    }
}
