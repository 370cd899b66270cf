package org.warpnfs.server.plugins;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.warpnfs.fs.spi.BackendOption;
import org.warpnfs.fs.spi.BackendProvider;
import org.warpnfs.server.config.ConfigException;

/**
 * Loads one plug-in by a class loader of its own, which stays open as long as the process runs. Whatever a plug-in
 * throws becomes a {@link ConfigException} that names its jar.
 */
final class PluginLoader {
    private static final Logger LOG = LoggerFactory.getLogger(PluginLoader.class);
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,31}");
    private static final Pattern OPTION = Pattern.compile("[A-Za-z][A-Za-z0-9-]{0,63}");
    private static final String SERVICE = "META-INF/services/" + BackendProvider.class.getName();

    private PluginLoader() {}

    /** Returns the backends of a plug-in; at least one. */
    static List<FoundBackend> load(PluginFiles plugin) throws ConfigException {
        URLClassLoader classes = new URLClassLoader(plugin.from().toString(), urls(plugin.jars()), new SpiOnly());
        boolean loaded = false;
        try {
            List<FoundBackend> found = found(plugin.from(), classes);
            if (found.isEmpty()) {
                throw new ConfigException(plugin.from() + ": has no backend: " + SERVICE + " names none");
            }
            loaded = true;
            return found;
        } catch (ConfigException e) {
            throw e;
        } catch (Throwable e) {
            passUnlessDefect(e);
            LOG.debug("{} cannot be loaded", plugin.from(), e);
            throw new ConfigException(plugin.from() + ": cannot be loaded: " + reason(e), e);
        } finally {
            if (!loaded) {
                close(classes);
            }
        }
    }

    /**
     * A lack of memory is not the plug-in's own, so it goes on. Whatever else a plug-in throws is its defect. That
     * includes {@link InternalError}: the JDK wraps a {@link StackOverflowError} in one when reflection hits it, and
     * throws one when a mapped file ends before its mapping.
     */
    static void passUnlessDefect(Throwable e) {
        if (e instanceof OutOfMemoryError lack) {
            throw lack;
        }
    }

    private static List<FoundBackend> found(Path from, ClassLoader classes) throws ConfigException {
        List<FoundBackend> found = new ArrayList<>();
        Iterator<BackendProvider> providers =
                ServiceLoader.load(BackendProvider.class, classes).iterator();
        while (providers.hasNext()) {
            BackendProvider provider = providers.next();
            found.add(checked(from, provider));
        }
        return found;
    }

    private static FoundBackend checked(Path from, BackendProvider provider) throws ConfigException {
        String who = from + ": " + provider.getClass().getName();
        // A plug-in is not bound by our annotations.
        String name = String.valueOf(provider.name());
        if (!NAME.matcher(name).matches() || Plugins.BUILT_IN.contains(name)) {
            throw new ConfigException(who + ": cannot be named '" + name
                    + "': a name has up to 32 of a-z, 0-9 and -, begins with a letter, and is none of "
                    + String.join(", ", Plugins.BUILT_IN));
        }
        List<BackendOption> options = List.copyOf(provider.options());
        for (BackendOption option : options) {
            if (!OPTION.matcher(option.name()).matches()) {
                throw new ConfigException(who + ": cannot have an option named '" + option.name()
                        + "': a name has up to 64 letters, digits and -, and begins with a letter");
            }
        }
        return new FoundBackend(name, String.valueOf(provider.about()), options, provider, from);
    }

    private static URL[] urls(List<Path> jars) throws ConfigException {
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            try {
                urls[i] = jars.get(i).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new ConfigException(jars.get(i) + ": cannot be loaded: " + e.getMessage(), e);
            }
        }
        return urls;
    }

    /** Returns the first message, and that of the exception at the bottom, which says what the plug-in did. */
    static String reason(Throwable e) {
        Throwable deepest = e;
        while (deepest.getCause() != null && deepest.getCause() != deepest) {
            deepest = deepest.getCause();
        }
        return deepest == e || String.valueOf(e.getMessage()).contains(String.valueOf(deepest.getMessage()))
                ? e.toString()
                : e + ": " + deepest;
    }

    private static void close(URLClassLoader classes) {
        try {
            classes.close();
        } catch (IOException e) {
            LOG.debug("the class loader {} cannot be closed", classes.getName(), e);
        }
    }
}
