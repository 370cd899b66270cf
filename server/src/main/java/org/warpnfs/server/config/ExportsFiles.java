package org.warpnfs.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.export.ExportOptions;
import org.warpnfs.nfs.export.ExportPolicy;
import org.warpnfs.nfs.export.ExportRule;
import org.warpnfs.nfs.export.ExportTraits;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.HostNames;
import org.warpnfs.nfs.export.HostPattern;
import org.warpnfs.nfs.export.PseudoPath;

/**
 * Files of exports(5), read together.
 *
 * <p>If several lines name a directory, in one file or in several, they are one export with the clients of all lines.
 * Clients find each export at its own absolute path. An export with {@code fsid=0} is found at {@code /}, and exports
 * below its directory below it.
 *
 * <h2>Errors</h2>
 *
 * A {@link ConfigException} lists the mistakes with file and line: the first mistake of each line, for all lines of
 * files that can be parsed. If there is a mistake, no file takes effect.
 */
public final class ExportsFiles {
    /** The largest file: some hundred thousand lines. */
    private static final int MAX_BYTES = 16 << 20;

    /** The defaults of exports(5): ro, root_squash, secure, sec=sys. */
    private static final ExportOptions DEFAULTS =
            ExportOptions.DEFAULTS.withReadOnly(true).withPrivilegedPort(true).withFlavors(List.of(Flavor.SYS));

    private final HostNames names;
    private final Map<Path, Merged> merged = new LinkedHashMap<>();
    private @Nullable Merged root;

    private ExportsFiles(HostNames names) {
        this.names = names;
    }

    /** The combined lines of one directory. */
    private static final class Merged {
        final Place place;
        final Path directory;
        final List<ExportRule> rules = new ArrayList<>();

        @Nullable
        ExportTraits traits;

        @Nullable
        Path requiredMount;

        ExportSpec.Identity identity = ExportSpec.Identity.DEFAULT;

        Merged(Place place, Path directory) {
            this.place = place;
            this.directory = directory;
        }
    }

    /**
     * Reads files. In a directory it reads all files whose names end with {@code .exports} and do not begin with a dot,
     * in the order of their names.
     *
     * @param names resolves the names of clients
     */
    public static List<ExportSpec> read(List<Path> paths, HostNames names) throws ConfigException {
        ExportsFiles files = new ExportsFiles(names);
        List<String> mistakes = new ArrayList<>();
        for (Path path : paths) {
            try {
                for (Path file : filesAt(path)) {
                    files.take(file.toString(), textOf(file));
                }
            } catch (ConfigException e) {
                mistakes.addAll(e.mistakes());
            }
        }
        if (!mistakes.isEmpty()) {
            throw new ConfigException(mistakes);
        }
        return files.specs();
    }

    /** Reads the text of one file. */
    static List<ExportSpec> read(String source, String text, HostNames names) throws ConfigException {
        ExportsFiles files = new ExportsFiles(names);
        files.take(source, text);
        return files.specs();
    }

    private static List<Path> filesAt(Path path) throws ConfigException {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> entries = Files.list(path)) {
            return entries.filter(file -> isExports(file.getFileName().toString()))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new Place(path.toString(), 0).mistake(BoundedText.reason(e));
        }
    }

    private static boolean isExports(String name) {
        return name.endsWith(".exports") && !name.startsWith(".");
    }

    private static String textOf(Path file) throws ConfigException {
        Place place = new Place(file.toString(), 0);
        try {
            return BoundedText.read(file, MAX_BYTES);
        } catch (IOException e) {
            throw place.mistake(BoundedText.reason(e));
        }
    }

    private void take(String source, String text) throws ConfigException {
        List<String> mistakes = new ArrayList<>();
        for (ExportsLine line : ExportsReader.read(source, text)) {
            try {
                take(line);
            } catch (ConfigException e) {
                mistakes.addAll(e.mistakes());
            }
        }
        if (!mistakes.isEmpty()) {
            throw new ConfigException(mistakes);
        }
    }

    private void take(ExportsLine line) throws ConfigException {
        if (line.clients().isEmpty()) {
            throw line.place().mistake(line.path() + " names no client; write *(...) for everyone");
        }
        Path directory = PathText.of(line.place().toString(), line.path()).normalize();
        Merged export = merged.computeIfAbsent(directory, key -> new Merged(line.place(), key));
        for (ExportsLine.Client client : line.clients()) {
            take(export, line, client);
        }
    }

    private void take(Merged export, ExportsLine line, ExportsLine.Client client) throws ConfigException {
        HostPattern hosts = patternOf(line.place(), client.name());
        for (ExportRule rule : export.rules) {
            if (rule.clients().equals(hosts)) {
                throw line.place()
                        .mistake(export.directory + " names the client " + hosts + " twice (first in " + export.place
                                + ")");
            }
        }
        ExportWords words = ExportWords.read(line.place(), client.words(), DEFAULTS);
        ExportTraits traits = export.traits;
        if (traits != null && !(traits.equals(words.traits()) && export.identity == words.identity())) {
            throw line.place()
                    .mistake(export.directory
                            + ": fsid=, crossmnt, nohide, nordirplus and identity= apply to all clients of a"
                            + " directory; give each the same");
        }
        export.traits = words.traits();
        export.identity = words.identity();
        export.rules.add(new ExportRule(hosts, words.options()));
        String required = words.requiredMount();
        if (required != null) {
            export.requiredMount =
                    required.isEmpty() ? export.directory : PathText.of(line.place() + ": mountpoint", required);
        }
        if (words.isRoot()) {
            if (root != null && root != export) {
                throw line.place().mistake("fsid=0 is " + root.directory + " already (" + root.place + ")");
            }
            root = export;
        }
    }

    private HostPattern patternOf(Place place, String client) throws ConfigException {
        try {
            return HostPattern.of(client, names);
        } catch (IllegalArgumentException e) {
            throw place.mistake(String.valueOf(e.getMessage()));
        }
    }

    private List<ExportSpec> specs() throws ConfigException {
        List<ExportSpec> specs = new ArrayList<>();
        for (Merged export : merged.values()) {
            ExportTraits traits = export.traits == null ? ExportTraits.DEFAULTS : export.traits;
            specs.add(new ExportSpec(
                    export.place,
                    export.directory,
                    pathOf(export),
                    ExportPolicy.of(export.rules),
                    traits,
                    export.requiredMount,
                    export.identity));
        }
        return List.copyOf(specs);
    }

    private PseudoPath pathOf(Merged export) throws ConfigException {
        Path shown = root != null && export.directory.startsWith(root.directory)
                ? Path.of("/").resolve(root.directory.relativize(export.directory))
                : export.directory;
        try {
            return PseudoPath.of(shown.toString());
        } catch (IllegalArgumentException e) {
            throw export.place.mistake(String.valueOf(e.getMessage()));
        }
    }
}
