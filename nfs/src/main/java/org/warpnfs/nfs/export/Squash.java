package org.warpnfs.nfs.export;

/** Which users of a client become the anonymous user, as in exports(5). */
public enum Squash {
    /** no_root_squash: only calls that name no user. */
    NONE,
    /** root_squash: user 0 and group 0. */
    ROOT,
    /** all_squash. */
    ALL
}
