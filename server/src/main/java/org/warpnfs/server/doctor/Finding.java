package org.warpnfs.server.doctor;

/**
 * The result of one check.
 *
 * @param subject what was checked, in a word or two
 * @param says the result
 * @param remedy a command that fixes the problem, or a description if there is none; empty if there is no problem
 */
public record Finding(Level level, String subject, String says, String remedy) {
    /** The severity. */
    public enum Level {
        OK,
        /** Works, but less well than possible, or only in part. */
        WARN,
        /** Does not work. */
        FAIL
    }

    static Finding ok(String subject, String says) {
        return new Finding(Level.OK, subject, says, "");
    }

    static Finding warn(String subject, String says, String remedy) {
        return new Finding(Level.WARN, subject, says, remedy);
    }

    static Finding fail(String subject, String says, String remedy) {
        return new Finding(Level.FAIL, subject, says, remedy);
    }
}
