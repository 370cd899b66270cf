package org.warpnfs.nfs.stats;

/**
 * A procedure or operation that is measured.
 *
 * @param level a whole call, or a part of one
 * @param program name to show to people: {@code nfs}, {@code nfsacl}, {@code mount}
 * @param version with the minor version, where there is one: {@code 3}, {@code 4.1}
 * @param operation as the RFC spells it: {@code READ}
 */
public record Metered(Level level, String program, String version, String operation) {
    /** Whether a whole call is measured or a part of one. */
    public enum Level {
        /** A procedure of a program. */
        CALL,
        /** One operation of a COMPOUND. */
        OPERATION
    }

    /** A procedure. */
    public static Metered call(String program, String version, String procedure) {
        return new Metered(Level.CALL, program, version, procedure);
    }

    /** An operation of NFSv4. */
    public static Metered operation(String version, String operation) {
        return new Metered(Level.OPERATION, "nfs", version, operation);
    }
}
