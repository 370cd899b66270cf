package org.warpnfs.server.plugins;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.BackendEnvironment;
import org.warpnfs.fs.spi.BackendException;
import org.warpnfs.fs.spi.BackendOption;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.config.NearestWord;
import org.warpnfs.server.config.Place;
import org.warpnfs.server.config.PluginChoice;

/**
 * The backend of a plug-in that a server uses, with its options. Opens file systems, and turns whatever the plug-in
 * throws meanwhile into a {@link ConfigException} with its place.
 */
public final class ChosenBackend {
    private static final Logger LOG = LoggerFactory.getLogger(ChosenBackend.class);

    private final FoundBackend backend;
    private final PluginChoice choice;
    private final Map<String, String> options;

    private ChosenBackend(FoundBackend backend, PluginChoice choice, Map<String, String> options) {
        this.backend = backend;
        this.choice = choice;
        this.options = options;
    }

    /**
     * Matches the options that were written with those that the backend takes.
     *
     * @throws ConfigException for each option that the backend does not take, and each that it requires and lacks
     */
    static ChosenBackend of(FoundBackend backend, PluginChoice choice) throws ConfigException {
        Map<String, PluginChoice.Option> said = new HashMap<>();
        choice.options().forEach(option -> said.put(option.key(), option));
        List<String> mistakes = new ArrayList<>();
        Map<String, String> options = new LinkedHashMap<>();
        for (BackendOption known : backend.options()) {
            PluginChoice.Option option = said.remove(known.name());
            String value = option == null ? known.standard() : option.value();
            if (value == null) {
                mistakes.add(choice.place() + " " + choice.name() + ": backendOption " + known.name() + " is missing: "
                        + known.meaning());
            } else {
                options.put(known.name(), value);
            }
        }
        List<String> names = backend.options().stream().map(BackendOption::name).toList();
        for (PluginChoice.Option option : choice.options()) {
            if (said.containsKey(option.key())) {
                mistakes.add(option.place() + ": the backend " + choice.name() + " has "
                        + (names.isEmpty()
                                ? "no options"
                                : "no option '" + option.key() + "'" + NearestWord.hint(option.key(), names)));
            }
        }
        if (!mistakes.isEmpty()) {
            throw new ConfigException(mistakes);
        }
        return new ChosenBackend(backend, choice, Map.copyOf(options));
    }

    public String name() {
        return backend.name();
    }

    /**
     * Opens a file system.
     *
     * @param place where the export was written
     * @param source empty if the export has none
     * @param stateDirectory of this file system alone
     * @return the file system, whose defects become errors of its calls
     * @throws ConfigException if the backend refuses, or fails in any other way
     */
    public FileSystem open(Place place, String source, Path stateDirectory) throws ConfigException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            // Libraries find their own services by it.
            thread.setContextClassLoader(backend.provider().getClass().getClassLoader());
            FileSystem opened = backend.provider()
                    .open(
                            source,
                            options,
                            new BackendEnvironment(stateDirectory, "org.warpnfs.backend." + backend.name()));
            return GuardedCalls.of(Objects.requireNonNull(opened, "no file system"), backend.name());
        } catch (BackendException e) {
            LOG.debug("backend {}", backend.name(), e);
            throw new ConfigException(placeOf(e).orElse(place.toString()) + ": backend " + name() + ": " + text(e), e);
        } catch (Throwable e) {
            PluginLoader.passUnlessDefect(e);
            LOG.error("backend {} failed to open {}", backend.name(), source, e);
            throw new ConfigException(
                    place + ": backend " + name() + " (" + backend.from() + ") failed: " + PluginLoader.reason(e), e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private Optional<String> placeOf(BackendException e) {
        String option = e.option();
        return option == null
                ? Optional.empty()
                : choice.options().stream()
                        .filter(said -> said.key().equals(option))
                        .map(PluginChoice.Option::place)
                        .findFirst()
                        .or(() -> Optional.of(choice.place() + " " + choice.name() + ": backendOption " + option));
    }

    private static String text(BackendException e) {
        return String.valueOf(e.getMessage());
    }
}
