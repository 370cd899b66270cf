package org.warpnfs.tools.bench.compare;

/**
 * A server or bare loop, and the version of NFS that it is asked for.
 *
 * @param version 3 or 4 (for 4.1); 0 for a bare loop
 */
record Competitor(Kind kind, int version) {
    String title() {
        return kind.bare() ? kind.title() : kind.title() + ", NFSv" + versionText();
    }

    String versionText() {
        return version == 3 ? "3" : "4.1";
    }
}
