package org.warpnfs.server.settings;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.warpnfs.server.config.ConfigException;

/** Collects mistakes in the configuration, so that all are reported at once. */
public final class Mistakes {
    private final Set<String> all = new LinkedHashSet<>();

    /** A computation that may find a mistake. */
    public interface Attempt<T> {
        T run() throws ConfigException;
    }

    public void add(String mistake) {
        all.add(mistake);
    }

    /** Runs the attempt. If it fails, adds the mistake and returns {@code otherwise}. */
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
     * Fails if there are mistakes.
     *
     * @throws ConfigException with all mistakes
     */
    public void end() throws ConfigException {
        if (!all.isEmpty()) {
            throw new ConfigException(all());
        }
    }
}
