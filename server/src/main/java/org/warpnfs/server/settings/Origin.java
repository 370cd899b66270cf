package org.warpnfs.server.settings;

/** Where a value comes from. */
public sealed interface Origin {
    /** Nobody said anything. */
    record Default() implements Origin {
        @Override
        public String toString() {
            return "default";
        }
    }

    /**
     * Nobody said anything, and the usual value would not go with another that was said.
     *
     * @param key the one that it follows
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
     * @param column likewise
     */
    record InFile(String file, int line, int column) implements Origin {
        @Override
        public String toString() {
            return file + ":" + line + ":" + column;
        }
    }

    /** A variable of the environment. */
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

    /** True if somebody said the value. */
    default boolean isSaid() {
        return !(this instanceof Default) && !(this instanceof Follows);
    }
}
