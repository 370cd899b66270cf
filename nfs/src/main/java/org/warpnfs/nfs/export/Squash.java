package org.warpnfs.nfs.export;

/** Which users of a client become the anonymous user, as exports(5) has it. */
public enum Squash {
    /** no_root_squash: none but those who name no user. */
    NONE,
    /** root_squash: user 0 and group 0. */
    ROOT,
    /** all_squash. */
    ALL
}
