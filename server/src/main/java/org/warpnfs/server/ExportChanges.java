package org.warpnfs.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.PseudoPath;

/** Compares the exports before and after a reload. */
final class ExportChanges {
    private ExportChanges() {}

    /**
     * Returns the wanted exports, with each unchanged one replaced by the old object, which keeps its cached names of
     * clients.
     */
    static List<Export> keepingEqual(List<Export> before, List<Export> wanted) {
        Map<PseudoPath, Export> known = byPath(before);
        List<Export> kept = new ArrayList<>();
        for (Export export : wanted) {
            Export old = known.get(export.path());
            kept.add(old != null && isSame(old, export) ? old : export);
        }
        return List.copyOf(kept);
    }

    /** Returns a line for each export that is new, removed or changed, in the order of their paths. */
    static List<String> between(List<Export> before, List<Export> after) {
        Map<PseudoPath, Export> old = byPath(before);
        Map<PseudoPath, Export> fresh = byPath(after);
        List<String> changes = new ArrayList<>();
        for (Export export : after) {
            Export known = old.get(export.path());
            if (known == null) {
                changes.add("export " + export.path() + " added: " + export.source());
            } else if (known.fileSystem() != export.fileSystem()) {
                changes.add("export " + export.path() + " changed: serves " + export.source() + ", before "
                        + known.source());
            } else if (!isSame(known, export)) {
                changes.add("export " + export.path() + " changed: other clients or options");
            }
        }
        for (Export export : before) {
            if (!fresh.containsKey(export.path())) {
                changes.add("export " + export.path() + " withdrawn: " + export.source());
            }
        }
        changes.sort(null);
        return List.copyOf(changes);
    }

    private static boolean isSame(Export one, Export other) {
        return one.fileSystem() == other.fileSystem()
                && one.policy().equals(other.policy())
                && one.traits().equals(other.traits())
                && one.key() == other.key();
    }

    private static Map<PseudoPath, Export> byPath(List<Export> exports) {
        Map<PseudoPath, Export> byPath = new HashMap<>();
        exports.forEach(export -> byPath.put(export.path(), export));
        return byPath;
    }
}
