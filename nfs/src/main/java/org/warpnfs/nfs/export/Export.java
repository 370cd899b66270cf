package org.warpnfs.nfs.export;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileSystem;

/** One file system under one path with one policy. */
public final class Export {
    /** The key of the virtual directories above the exports. */
    public static final int PSEUDO_KEY = 0;

    private final int key;
    private final PseudoPath path;
    private final FileSystem fileSystem;
    private final ExportOptions options;
    private final String source;

    private Export(int key, PseudoPath path, FileSystem fileSystem, ExportOptions options, String source) {
        this.key = key;
        this.path = path;
        this.fileSystem = fileSystem;
        this.options = options;
        this.source = source;
    }

    /**
     * An export of the whole of {@code fileSystem}.
     *
     * @param source where the files come from, for people
     */
    public static Export of(PseudoPath path, FileSystem fileSystem, ExportOptions options, String source) {
        return new Export(keyOf(path), path, fileSystem, options, source);
    }

    static Export pseudo(PseudoFileSystem fileSystem) {
        ExportOptions options = new ExportOptions(true, Squash.NONE, ExportOptions.NOBODY, ExportOptions.NOBODY);
        return new Export(PSEUDO_KEY, PseudoPath.root(), fileSystem, options, "pseudo file system");
    }

    private static int keyOf(PseudoPath path) {
        int hash = (int) PathHash.of(path);
        return hash == PSEUDO_KEY ? 1 : hash;
    }

    /** Names this export in handles and file system ids: the same for one path after every restart. */
    public int key() {
        return key;
    }

    public boolean isPseudo() {
        return key == PSEUDO_KEY;
    }

    public PseudoPath path() {
        return path;
    }

    public FileSystem fileSystem() {
        return fileSystem;
    }

    public ExportOptions options() {
        return options;
    }

    /** Where the files come from, for people. */
    public String source() {
        return source;
    }

    /** The top directory. */
    public Location root() {
        return new Location(this, fileSystem.root());
    }

    /** Who {@code identity} is here: squashed as the options say, each of user, group and groups by itself. */
    public Caller callerOf(Identity identity) {
        return switch (identity) {
            case Identity.Anonymous _ -> anonymous();
            case Identity.SystemUser user ->
                switch (options.squash()) {
                    case NONE -> new Caller(user.uid(), user.gid(), user.groups());
                    case ALL -> anonymous();
                    case ROOT -> rootSquashed(user);
                };
        };
    }

    private Caller anonymous() {
        return new Caller(options.anonUid(), options.anonGid(), List.of());
    }

    private Caller rootSquashed(Identity.SystemUser user) {
        List<Long> groups = new ArrayList<>(user.groups().size());
        for (long group : user.groups()) {
            groups.add(group == 0 ? options.anonGid() : group);
        }
        return new Caller(
                user.uid() == 0 ? options.anonUid() : user.uid(),
                user.gid() == 0 ? options.anonGid() : user.gid(),
                groups);
    }

    @Override
    public String toString() {
        return path + " (" + source + ")";
    }
}
