package org.warpnfs.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.PseudoPath;
import org.warpnfs.nfs.export.Squash;

/**
 * One {@code --export DIR[:/PSEUDO/PATH][,OPTION...]}, in the options of exports(5).
 *
 * @param directory what to serve, as it was written; null for a backend that holds no directories
 * @param pseudoPath where clients find it; null to let {@link ServerConfig} choose
 * @param options how
 */
public record ExportSpec(@Nullable Path directory, @Nullable PseudoPath pseudoPath, ExportOptions options) {

    /**
     * Parses the argument of {@code --export}. A comma or a colon cannot be part of a directory's name here, save a colon
     * that no slash follows.
     *
     * @throws ConfigException naming the argument and the part that is wrong
     */
    public static ExportSpec parse(String argument) throws ConfigException {
        List<String> parts = List.of(argument.split(",", -1));
        String place = parts.getFirst();
        int colon = place.indexOf(":/");
        String directory = colon < 0 ? place : place.substring(0, colon);
        PseudoPath pseudoPath = colon < 0 ? null : pseudoPath(argument, place.substring(colon + 1));
        if (directory.isEmpty() && pseudoPath == null) {
            throw new ConfigException("--export " + argument + ": the directory is missing");
        }
        return new ExportSpec(
                directory.isEmpty() ? null : Path.of(directory),
                pseudoPath,
                options(argument, parts.subList(1, parts.size())));
    }

    private static PseudoPath pseudoPath(String argument, String text) throws ConfigException {
        try {
            return PseudoPath.of(text);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--export " + argument + ": " + e.getMessage(), e);
        }
    }

    private static ExportOptions options(String argument, List<String> words) throws ConfigException {
        boolean readOnly = false;
        Squash squash = Squash.ROOT;
        long anonUid = ExportOptions.DEFAULTS.anonUid();
        long anonGid = ExportOptions.DEFAULTS.anonGid();
        for (String word : words) {
            String name = word.contains("=") ? word.substring(0, word.indexOf('=') + 1) : word;
            switch (name.toLowerCase(Locale.ROOT)) {
                case "rw" -> readOnly = false;
                case "ro" -> readOnly = true;
                case "root_squash" -> squash = squash == Squash.ALL ? Squash.ALL : Squash.ROOT;
                case "no_root_squash" -> squash = squash == Squash.ALL ? Squash.ALL : Squash.NONE;
                case "all_squash" -> squash = Squash.ALL;
                case "anonuid=" -> anonUid = id(argument, word);
                case "anongid=" -> anonGid = id(argument, word);
                // What the server does in any case.
                case "sync", "insecure", "no_subtree_check", "no_all_squash", "hide" -> {}
                case "sec=" -> requireSys(argument, word);
                default ->
                    throw new ConfigException(
                            "--export " + argument + ": unknown option '" + word
                                    + "'; known are rw, ro, root_squash, no_root_squash, all_squash, anonuid=N, anongid=N, sec=sys");
            }
        }
        return new ExportOptions(readOnly, squash, anonUid, anonGid);
    }

    private static long id(String argument, String word) throws ConfigException {
        String digits = word.substring(word.indexOf('=') + 1);
        try {
            return Integer.toUnsignedLong(Integer.parseUnsignedInt(digits));
        } catch (NumberFormatException e) {
            throw new ConfigException(
                    "--export " + argument + ": '" + word + "' needs a number from 0 to 4294967295", e);
        }
    }

    private static void requireSys(String argument, String word) throws ConfigException {
        if (!word.equalsIgnoreCase("sec=sys")) {
            throw new ConfigException("--export " + argument + ": '" + word + "': only sec=sys is served");
        }
    }
}
