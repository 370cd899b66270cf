package org.warpnfs.server.settings;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.warpnfs.server.config.ConfigException;

/** What is wrong, collected so that an operator reads all of it at once. */
public final class Mistakes {
    private final Set<String> all = new LinkedHashSet<>();

    /** Something that may be wrong. */
    public interface Attempt<T> {
        T run() throws ConfigException;
    }

    public void add(String mistake) {
        all.add(mistake);
    }

    /** Adds what the attempt fails of, if it does; answers {@code otherwise} then. */
    public <T> T tried(T otherwise, Attempt<? extends T> attempt) {
        try {
            return attempt.run();
        } catch (ConfigException e) {
            all.addAll(e.mistakes());
            return otherwise;
        }
    }

    public List<String> all() {
        return new ArrayList<>(all);
    }

    /**
     * Ends the start if there are any.
     *
     * @throws ConfigException with all of them
     */
    public void end() throws ConfigException {
        if (!all.isEmpty()) {
            throw new ConfigException(all());
        }
    }
}
