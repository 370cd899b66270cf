package org.warpnfs.server.settings;

/** The source of a value. */
public sealed interface Origin {
    /** The default: the value was not set. */
    record Default() implements Origin {
        @Override
        public String toString() {
            return "default";
        }
    }

    /**
     * The value was not set, and its default was lowered because another setting requires it.
     *
     * @param key the other setting
     */
    record Follows(String key) implements Origin {
        @Override
        public String toString() {
            return "default, as far as " + key + " allows";
        }
    }

    /**
     * The configuration file.
     *
     * @param line counted from 1
     * @param column counted from 1
     */
    record InFile(String file, int line, int column) implements Origin {
        @Override
        public String toString() {
            return file + ":" + line + ":" + column;
        }
    }

    /** An environment variable. */
    record Environment(String variable) implements Origin {
        @Override
        public String toString() {
            return variable;
        }
    }

    /** An option of the command line. */
    record Flag(String name) implements Origin {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Returns whether the value was set in a source. */
    default boolean isSaid() {
        return !(this instanceof Default) && !(this instanceof Follows);
    }
}
