package org.warpnfs.server.doctor;

/**
 * What one check found.
 *
 * @param subject what was looked at, in a word or two
 * @param says what there is
 * @param remedy a command that mends it, or words where there is none; empty if nothing has to be mended
 */
public record Finding(Level level, String subject, String says, String remedy) {
    /** How bad it is. */
    public enum Level {
        OK,
        /** Works, and less well than it could; or works in some ways only. */
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
