package org.warpnfs.tools.iwarp;

/** What each message of a test is. All but the first are operations of RFC 7306, on words of eight bytes. */
public enum TestOperation {
    /** The operation that the test is named after. */
    PLAIN,
    /** Adds 1 to a word of the server. */
    FETCH_ADD,
    /** Replaces a word of the server by its successor. */
    COMPARE_SWAP,
    /** Immediate Data instead of a Send; every second one asks for an event. */
    IMMEDIATE;

    /** The size of a message that is a word. */
    public static final int WORD_BYTES = Long.BYTES;
}
