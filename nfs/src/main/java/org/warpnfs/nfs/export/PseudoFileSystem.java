package org.warpnfs.nfs.export;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.Capability;
import org.warpnfs.fs.spi.ChangeOrder;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.fs.spi.OpenAccess;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Timestamp;

/**
 * The virtual directories from {@code /} down to the exports (RFC 8881, section 7.3). Everyone may read them, and
 * nobody may change them.
 *
 * <p>An export's mount point is an empty directory here, which {@link ExportTable#mountedAt} replaces by the export.
 * Handles and file ids depend on the path alone, so they survive restarts. The change id depends on all paths: it is
 * the same for the same set of exports and another for another set. It neither grows nor shrinks with changes
 * (change_attr_type says so).
 */
final class PseudoFileSystem implements FileSystem {
    private static final int PERMISSIONS = 0555;
    private static final int DIRECTORY_BYTES = 4096;
    private static final long FIRST_COOKIE = 3;
    /** What one of the exports has is said here too, since some clients keep what the root says of it. */
    private static final Set<Capability> OF_EXPORTS =
            Set.of(Capability.HARD_LINKS, Capability.SYMLINKS, Capability.XATTRS, Capability.ACLS);

    private static final Timestamp MADE = new Timestamp(0, 0);

    private final Map<FileHandle, Directory> directories = new HashMap<>();
    private final Directory root = add(PseudoPath.root());
    private final long changeId;
    private final FsLimits limits;

    /**
     * Makes every directory on the paths to {@code mountPoints}.
     *
     * @param ofExports the limits of all exports: those of the virtual directories are not below them
     */
    PseudoFileSystem(Collection<PseudoPath> mountPoints, List<FsLimits> ofExports) {
        limits = largest(ofExports);
        List<PseudoPath> sorted = mountPoints.stream()
                .sorted(Comparator.comparing(PseudoPath::toString))
                .toList();
        changeId = PathHash.of(sorted);
        for (PseudoPath mountPoint : sorted) {
            Directory directory = root;
            for (FileName name : mountPoint.components()) {
                Directory child = directory.children.get(name);
                if (child == null) {
                    child = add(directory.path.child(name));
                    directory.children.put(name, child);
                }
                directory = child;
            }
        }
    }

    private static FsLimits largest(List<FsLimits> ofExports) {
        Set<Capability> capabilities = EnumSet.of(Capability.PERSISTENT_HANDLES, Capability.SPACE);
        OF_EXPORTS.stream()
                .filter(one -> ofExports.stream().anyMatch(limits -> limits.has(one)))
                .forEach(capabilities::add);
        return new FsLimits(
                ofExports.stream().mapToLong(FsLimits::maxFileSizeBytes).max().orElse(Long.MAX_VALUE),
                ofExports.stream().mapToInt(FsLimits::maxLinks).max().orElse(1),
                FileName.MAX_LENGTH_BYTES,
                1,
                0,
                ChangeOrder.NONE,
                capabilities);
    }

    private Directory add(PseudoPath path) {
        Directory directory = new Directory(path);
        if (directories.put(directory.handle, directory) != null) {
            throw new IllegalArgumentException(
                    "path " + path + " has the same hash as another by chance: choose another");
        }
        return directory;
    }

    static FileHandle handleOf(PseudoPath path) {
        return FileHandle.of(
                ByteBuffer.allocate(Long.BYTES).putLong(PathHash.of(path)).array());
    }

    @Override
    public FileHandle root() {
        return root.handle;
    }

    @Override
    public FsLimits limits() {
        return limits;
    }

    @Override
    public FsStatistics statistics() {
        return new FsStatistics(0, 0, 0, directories.size(), 0, 0);
    }

    @Override
    public FileAttributes attributes(FileHandle file) throws FsException {
        return find(file).attributes();
    }

    @Override
    public FileAttributes tryAttributes(FileHandle file) throws FsException {
        return find(file).attributes();
    }

    @Override
    public Set<Permission> permissions(Caller caller, FileHandle file, Set<Permission> asked) throws FsException {
        find(file);
        EnumSet<Permission> granted = EnumSet.of(Permission.READ, Permission.EXECUTE);
        granted.retainAll(asked);
        return granted;
    }

    @Override
    public FileNode lookup(Caller caller, FileHandle directory, FileName name) throws FsException {
        Directory child = find(directory).children.get(name);
        if (child == null) {
            throw FsException.of(FsError.NO_ENTRY);
        }
        return child.node();
    }

    @Override
    public FileNode lookupParent(Caller caller, FileHandle directory) throws FsException {
        return find(handleOf(find(directory).path.parent())).node();
    }

    @Override
    public boolean list(Caller caller, FileHandle directory, long cookie, boolean withNodes, EntryVisitor visitor)
            throws FsException {
        List<Directory> children = new ArrayList<>(find(directory).children.values());
        long next = cookie == 0 ? FIRST_COOKIE : cookie + 1;
        if (next < FIRST_COOKIE || next - FIRST_COOKIE > children.size()) {
            throw FsException.of(FsError.BAD_COOKIE);
        }
        for (; next - FIRST_COOKIE < children.size(); next++) {
            Directory child = children.get((int) (next - FIRST_COOKIE));
            FileName name = child.path.components().getLast();
            if (!visitor.visit(new DirectoryEntry(name, next, child.fileId, withNodes ? child.node() : null))) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Acls acls(FileHandle file) throws FsException {
        find(file);
        return Acls.NONE;
    }

    @Override
    public List<byte[]> listXattrs(Caller caller, FileHandle file) throws FsException {
        find(file);
        return List.of();
    }

    @Override
    public byte[] getXattr(Caller caller, FileHandle file, byte[] name) throws FsException {
        find(file);
        throw FsException.of(FsError.NO_ATTRIBUTE);
    }

    private Directory find(FileHandle handle) throws FsException {
        Directory directory = directories.get(handle);
        if (directory == null) {
            throw FsException.of(FsError.STALE);
        }
        return directory;
    }

    @Override
    public OpenFile open(Caller caller, FileHandle file, OpenAccess access) throws FsException {
        find(file);
        throw FsException.of(FsError.IS_DIRECTORY);
    }

    @Override
    public void close() {
        // There is nothing to release.
    }

    private final class Directory {
        final PseudoPath path;
        final long fileId;
        final FileHandle handle;
        final Map<FileName, Directory> children = new LinkedHashMap<>();

        Directory(PseudoPath path) {
            this.path = path;
            this.fileId = PathHash.of(path);
            this.handle = handleOf(path);
        }

        FileNode node() {
            return new FileNode(handle, attributes());
        }

        FileAttributes attributes() {
            return new FileAttributes(
                    FileType.DIRECTORY,
                    PERMISSIONS,
                    2 + children.size(),
                    0,
                    0,
                    DIRECTORY_BYTES,
                    0,
                    0,
                    0,
                    0,
                    fileId,
                    MADE,
                    MADE,
                    MADE,
                    MADE,
                    changeId);
        }
    }
}
