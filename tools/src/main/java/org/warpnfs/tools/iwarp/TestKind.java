package org.warpnfs.tools.iwarp;

/** The tests, and the tools whose protocols they use. */
public enum TestKind {
    /** {@code rping}: the server reads a text from the client's memory and writes it back. */
    PING("ping", 7174),
    /** {@code ib_read_bw -R}: the client reads from the server's memory. */
    READ_BW("read-bw", 18_515),
    /** {@code ib_write_bw -R}: the client writes to the server's memory. */
    WRITE_BW("write-bw", 18_515),
    /** {@code ib_send_bw -R}: the client sends messages, and the server grants credits by writing a counter. */
    SEND_BW("send-bw", 18_515),
    /** {@code ib_send_lat -R}: messages back and forth, one at a time. */
    SEND_LAT("send-lat", 18_515),
    /** {@code ib_atomic_lat -R}: atomic operations on a word of the server's memory, one at a time. */
    ATOMIC_LAT("atomic-lat", 18_515);

    private final String word;
    private final int defaultPort;

    TestKind(String word, int defaultPort) {
        this.word = word;
        this.defaultPort = defaultPort;
    }

    /** Returns whether its messages are Sends. */
    boolean sends() {
        return this == SEND_BW || this == SEND_LAT;
    }

    /** Returns its name on the command line. */
    public String word() {
        return word;
    }

    /** Returns the default port of the counterpart. */
    public int defaultPort() {
        return defaultPort;
    }
}
