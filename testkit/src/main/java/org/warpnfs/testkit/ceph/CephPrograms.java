package org.warpnfs.testkit.ceph;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The programs of Ceph that clusters for tests need. */
final class CephPrograms {
    /** The environment variable that, set to {@code required}, makes a missing program a failure. */
    private static final String REQUIREMENT = "CEPH_TESTS";

    private static final List<String> ALWAYS = List.of("ceph-mon", "ceph-osd", "ceph-mds", "monmaptool", "ceph");
    private static final String MANAGER = "ceph-mgr";

    private CephPrograms() {}

    /**
     * Skips the test, with the reason in the build's output, unless all programs are installed.
     *
     * @param skip ends the test with the reason
     * @throws IllegalStateException if one is missing and {@link #REQUIREMENT} asks for it
     */
    static void requireInstalled(boolean withManager, Consumer<String> skip) {
        List<String> missing = new ArrayList<>(ALWAYS);
        if (withManager) {
            missing.add(MANAGER);
        }
        missing.removeIf(CephPrograms::isInstalled);
        if (missing.isEmpty()) {
            return;
        }
        String reason = "no " + String.join(", ", missing)
                + ": install ceph-mon, ceph-osd, ceph-mds, ceph-mgr, ceph-common and libcephfs2";
        if ("required".equals(System.getenv(REQUIREMENT))) {
            throw new IllegalStateException(reason);
        }
        System.err.println(reason + ": tests with a cluster are skipped");
        skip.accept(reason);
    }

    private static boolean isInstalled(String program) {
        return Stream.of("/usr/bin", "/usr/sbin", "/bin", "/usr/local/bin")
                .anyMatch(where -> Files.isExecutable(Path.of(where, program)));
    }
}
