package org.warpnfs.server.plugins;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
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
            requireOurs(jar);
            requireJar(jar);
        }
        return new PluginFiles(from, jars);
    }

    /** A class loader ignores a file that is not a jar. */
    private static void requireJar(Path jar) throws ConfigException {
        try {
            new JarFile(jar.toFile()).close();
        } catch (IOException e) {
            throw new ConfigException(jar + ": is not a jar: " + BoundedText.reason(e), e);
        }
    }

    private static List<Path> entries(Path directory) throws ConfigException {
        requireOurs(directory);
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

    /** Whoever can write a plug-in has all rights of the server. */
    private static void requireOurs(Path file) throws ConfigException {
        try {
            if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new ConfigException(
                        file + ": every user may write it, and so become the server; chmod o-w " + file);
            }
        } catch (NoSuchFileException e) {
            throw new ConfigException(file + ": there is no such file or directory", e);
        } catch (IOException e) {
            throw new ConfigException(file + ": " + BoundedText.reason(e), e);
        }
    }
}
