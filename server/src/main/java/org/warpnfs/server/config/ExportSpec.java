package org.warpnfs.server.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.PseudoPath;

/**
 * One export as an administrator wrote it.
 *
 * @param place where, of its first line
 * @param directory what to serve, as it was written; null for a backend that holds no directories
 * @param pseudoPath where clients find it; null if nothing was said of it
 * @param policy to whom, and how
 * @param traits what holds for everyone
 * @param requiredMount the directory at which something has to be mounted for the export to be served; null if none has
 *     to
 */
public record ExportSpec(
        Place place,
        @Nullable Path directory,
        @Nullable PseudoPath pseudoPath,
        ExportPolicy policy,
        ExportTraits traits,
        @Nullable Path requiredMount) {
    /** The same at another place in the tree that clients see. */
    public ExportSpec at(PseudoPath path) {
        return new ExportSpec(place, directory, path, policy, traits, requiredMount);
    }

    /**
     * Parses the argument of {@code --export DIR[:/PSEUDO/PATH][,OPTION...]}: one export for everyone. A comma or a
     * colon cannot be part of a directory's name here, save a colon that no slash follows. Unlike in exports(5) calls
     * are taken from any port unless {@code secure} is said.
     *
     * @throws ConfigException naming the argument and the part that is wrong
     */
    public static ExportSpec parse(String argument) throws ConfigException {
        return parse(new Place("--export " + argument, 0), argument);
    }

    /** The same, written at {@code place}. */
    public static ExportSpec parse(Place place, String argument) throws ConfigException {
        List<String> parts = List.of(argument.split(",", -1));
        String at = parts.getFirst();
        int colon = at.indexOf(":/");
        String directory = colon < 0 ? at : at.substring(0, colon);
        PseudoPath pseudoPath = colon < 0 ? null : pseudoPath(place, at.substring(colon + 1));
        if (directory.isEmpty() && pseudoPath == null) {
            throw place.mistake("the directory is missing");
        }
        ExportWords words = ExportWords.read(place, parts.subList(1, parts.size()), ExportOptions.DEFAULTS);
        if (words.isRoot()) {
            throw place.mistake("fsid=0 is for files of exports(5); here write DIR:/ for the export at /");
        }
        return new ExportSpec(
                place,
                directory.isEmpty() ? null : PathText.of(place.toString(), directory),
                pseudoPath,
                ExportPolicy.everyone(words.options()),
                words.traits(),
                requiredMount(place, directory, words));
    }

    private static @Nullable Path requiredMount(Place place, String directory, ExportWords words)
            throws ConfigException {
        String required = words.requiredMount();
        return required == null ? null : PathText.of(place + ": mountpoint", required.isEmpty() ? directory : required);
    }

    private static PseudoPath pseudoPath(Place place, String text) throws ConfigException {
        try {
            return PseudoPath.of(text);
        } catch (IllegalArgumentException e) {
            throw place.mistake(String.valueOf(e.getMessage()));
        }
    }
}
