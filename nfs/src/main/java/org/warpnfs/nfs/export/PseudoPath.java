package org.warpnfs.nfs.export;

import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FsException;

/**
 * The absolute path under which clients see an export or a directory above one, normalised: {@code /}, {@code /a/b}.
 */
public final class PseudoPath {
    private static final PseudoPath ROOT = new PseudoPath(List.of());

    private final List<FileName> components;

    private PseudoPath(List<FileName> components) {
        this.components = components;
    }

    public static PseudoPath root() {
        return ROOT;
    }

    /**
     * Parses a path. Repeated and trailing slashes are ignored.
     *
     * @throws IllegalArgumentException if the path is not absolute, or a component is {@code .}, {@code ..}, too long
     *     or has a NUL
     */
    public static PseudoPath of(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("export path '" + path + "' does not begin with /");
        }
        List<FileName> components = new ArrayList<>();
        for (String component : Splitter.on('/').omitEmptyStrings().split(path)) {
            try {
                components.add(FileName.of(component));
            } catch (FsException e) {
                throw new IllegalArgumentException("export path '" + path + "' has the component '" + component
                        + "', which no file can be called (" + e.error() + ")");
            }
        }
        return new PseudoPath(List.copyOf(components));
    }

    /** Makes a path of these names, from the root down. */
    public static PseudoPath of(List<FileName> components) {
        return new PseudoPath(List.copyOf(components));
    }

    /** The names from the root down; none for the root itself. */
    public List<FileName> components() {
        return components;
    }

    public boolean isRoot() {
        return components.isEmpty();
    }

    /** The path of the parent. The root is its own parent. */
    public PseudoPath parent() {
        return isRoot() ? this : new PseudoPath(components.subList(0, components.size() - 1));
    }

    /** The path of {@code name} in this directory. */
    public PseudoPath child(FileName name) {
        List<FileName> longer = new ArrayList<>(components);
        longer.add(name);
        return new PseudoPath(List.copyOf(longer));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PseudoPath path && components.equals(path.components);
    }

    @Override
    public int hashCode() {
        return components.hashCode();
    }

    @Override
    public String toString() {
        return "/" + components.stream().map(FileName::toString).collect(Collectors.joining("/"));
    }
}
