package org.warpnfs.server.plugins;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.warpnfs.server.config.BoundedText;
import org.warpnfs.server.config.ConfigException;
import org.warpnfs.server.settings.Mistakes;

/**
 * The files of one plug-in.
 *
 * @param from the jar, or the subdirectory that contains its jars
 * @param jars in the order of their names
 */
record PluginFiles(Path from, List<Path> jars) {
    /**
     * Finds the plug-ins in a directory: each jar, and each subdirectory with jars. Other files are ignored, and so are
     * names that begin with a dot.
     *
     * @param mistakes collects what cannot be read, is no jar, or may be written by everyone
     */
    static List<PluginFiles> in(Path directory, Mistakes mistakes) {
        return mistakes.tried(List.of(), () -> {
            List<PluginFiles> plugins = new ArrayList<>();
            for (Path entry : entries(directory)) {
                mistakes.tried(false, () -> {
                    if (Files.isDirectory(entry)) {
                        List<Path> jars = entries(entry).stream()
                                .filter(PluginFiles::isJar)
                                .toList();
                        return !jars.isEmpty() && plugins.add(checked(entry, jars));
                    }
                    return isJar(entry) && plugins.add(checked(entry, List.of(entry)));
                });
            }
            return plugins;
        });
    }

    private static boolean isJar(Path file) {
        return file.toString().endsWith(".jar");
    }

    private static PluginFiles checked(Path from, List<Path> jars) throws ConfigException {
        for (Path jar : jars) {
            Owners.requireOurs(jar);
            requireJar(jar, jars);
        }
        return new PluginFiles(from, jars);
    }

    /** A class loader ignores a file that is not a jar, and loads what a manifest names, wherever it is. */
    private static void requireJar(Path jar, List<Path> jars) throws ConfigException {
        String named;
        try (JarFile open = new JarFile(jar.toFile())) {
            Manifest manifest = open.getManifest();
            named = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
        } catch (IOException e) {
            throw new ConfigException(jar + ": is not a jar: " + BoundedText.reason(e), e);
        }
        if (named == null) {
            return;
        }
        for (String other : Splitter.on(' ').omitEmptyStrings().split(named)) {
            if (!isAmong(jars, jar, other)) {
                throw new ConfigException(jar + ": its manifest's Class-Path names " + other
                        + ", which is no jar of this plug-in: put all its jars into a directory of their own");
            }
        }
    }

    /** True if nothing else would be loaded: it is one of the jars, or there is no such file. */
    private static boolean isAmong(List<Path> jars, Path jar, String other) {
        try {
            Path path = Path.of(jar.toAbsolutePath().toUri().resolve(other)).normalize();
            return Files.notExists(path)
                    || jars.stream()
                            .anyMatch(
                                    known -> known.toAbsolutePath().normalize().equals(path));
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            return false;
        }
    }

    private static List<Path> entries(Path directory) throws ConfigException {
        Owners.requireOurs(directory);
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "[!.]*")) {
            files.forEach(entries::add);
        } catch (NotDirectoryException e) {
            throw new ConfigException(directory + ": is not a directory", e);
        } catch (IOException e) {
            throw new ConfigException(directory + ": " + BoundedText.reason(e), e);
        }
        entries.sort(null);
        return entries;
    }
}
