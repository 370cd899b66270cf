package org.warpnfs.server.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.PseudoPath;

/**
 * One export as it was configured.
 *
 * @param place where it was written; the first line of several
 * @param directory the directory to serve, as it was written; null for a backend without directories
 * @param pseudoPath its path for clients; null if none was given
 * @param policy who may mount it, and with which options
 * @param traits options that apply to all clients
 * @param requiredMount the directory that must be a mount point for the export to be served; null if there is none
 * @param identity how owners of its files are kept
 */
public record ExportSpec(
        Place place,
        @Nullable Path directory,
        @Nullable PseudoPath pseudoPath,
        ExportPolicy policy,
        ExportTraits traits,
        @Nullable Path requiredMount,
        Identity identity) {
    /** How owners of files are kept. */
    public enum Identity {
        /** As the process and the file system can. */
        DEFAULT,
        /** As the host keeps them. Each call is made as its caller. */
        CALLER,
        /** In an extended attribute of each file. */
        MAPPED,
        /** All files belong to one user, and every caller is that user. */
        ONE
    }

    /** Throws if the export says how owners are kept, and the backend keeps them in its own way. */
    public void requireIdentityOf(Backend backend) throws ConfigException {
        if (identity != Identity.DEFAULT && (backend != Backend.LOCAL || directory == null)) {
            throw place.mistake("identity= is for directories of this host");
        }
    }

    /** Returns this export at another path for clients. */
    public ExportSpec at(PseudoPath path) {
        return new ExportSpec(place, directory, path, policy, traits, requiredMount, identity);
    }

    /**
     * Parses the argument of {@code --export DIR[:/PSEUDO/PATH][,OPTION...]}: one export for everyone. The directory's
     * name cannot contain a comma, or a colon followed by a slash. Unlike in exports(5), calls are accepted from any
     * port unless {@code secure} is given.
     *
     * @throws ConfigException if the argument is wrong; it names the argument and the wrong part
     */
    public static ExportSpec parse(String argument) throws ConfigException {
        return parse(new Place("--export " + argument, 0), argument);
    }

    /** Parses an argument that was written at {@code place}. */
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
                requiredMount(place, directory, words),
                words.identity());
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
