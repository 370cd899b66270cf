package org.warpnfs.fs.ceph;

import java.util.ArrayList;
import java.util.List;

/** Which ranges one owner has locked, by the rules of POSIX. For one thread at a time. */
final class HeldRanges {
    private List<Range> ranges = new ArrayList<>();

    /** A locked range, from its first to its last byte. */
    record Range(boolean exclusive, long first, long last) {}

    /** Adds a range in place of what there was of it. */
    void add(boolean exclusive, long first, long last) {
        remove(first, last);
        ranges.add(new Range(exclusive, first, last));
        join(exclusive);
    }

    /** Removes a range, or what there is of it. */
    void remove(long first, long last) {
        List<Range> left = new ArrayList<>(ranges.size() + 1);
        for (Range each : ranges) {
            if (each.last < first || each.first > last) {
                left.add(each);
                continue;
            }
            if (each.first < first) {
                left.add(new Range(each.exclusive, each.first, first - 1));
            }
            if (each.last > last) {
                left.add(new Range(each.exclusive, last + 1, each.last));
            }
        }
        ranges = left;
    }

    /** Makes one of the last range and of those of its kind that it touches, so that a list does not grow for ever. */
    private void join(boolean exclusive) {
        Range joined = ranges.removeLast();
        List<Range> left = new ArrayList<>(ranges.size() + 1);
        for (Range each : ranges) {
            boolean before = each.last < joined.first && each.last + 1 == joined.first;
            boolean after = joined.last < each.first && joined.last + 1 == each.first;
            if (each.exclusive == exclusive && (before || after)) {
                joined = new Range(exclusive, Math.min(each.first, joined.first), Math.max(each.last, joined.last));
            } else {
                left.add(each);
            }
        }
        left.add(joined);
        ranges = left;
    }

    void clear() {
        ranges.clear();
    }

    boolean isEmpty() {
        return ranges.isEmpty();
    }

    List<Range> all() {
        return List.copyOf(ranges);
    }
}
