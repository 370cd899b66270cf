package org.warpnfs.server.killed;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.warpnfs.fs.ceph.CephFileSystem;
import org.warpnfs.fs.ceph.CephOptions;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FileHandle;
import org.warpnfs.fs.spi.FileName;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.testkit.ceph.CephCluster;

/** The file system of a cluster of Ceph, by a mount of its own. Paths begin at its root. */
final class CephFiles implements ExportedFiles, AutoCloseable {
    private final CephFileSystem files;

    private CephFiles(CephFileSystem files) {
        this.files = files;
    }

    static CephFiles of(CephCluster cluster, String user) throws Exception {
        return new CephFiles(CephFileSystem.open(
                new CephOptions(cluster.configuration(), user, CephCluster.FILE_SYSTEM, "/", null)));
    }

    private FileHandle find(Path path) throws FsException {
        FileHandle found = files.root();
        for (Path name : path) {
            found = files.lookup(Caller.ROOT, found, FileName.of(name.toString()))
                    .handle();
        }
        return found;
    }

    @Override
    public Map<String, Found> list(Path directory) throws IOException {
        Map<String, Found> all = new TreeMap<>();
        try {
            FileHandle listed = find(directory);
            Map<String, FileNode> nodes = new TreeMap<>();
            boolean _ = files.list(Caller.ROOT, listed, 0, true, entry -> {
                nodes.put(entry.name().toString(), entry.node());
                return true;
            });
            for (Map.Entry<String, FileNode> each : nodes.entrySet()) {
                all.put(each.getKey(), found(each.getValue()));
            }
            return all;
        } catch (FsException e) {
            throw new IOException(e);
        }
    }

    private Found found(FileNode node) throws FsException {
        return switch (node.attributes().type()) {
            case SYMLINK ->
                new Found(
                        Node.Type.SYMLINK,
                        0,
                        new String(files.readSymlink(Caller.ROOT, node.handle()), StandardCharsets.UTF_8));
            case DIRECTORY -> new Found(Node.Type.DIRECTORY, 0, "");
            default -> new Found(Node.Type.FILE, node.attributes().linkCount(), "");
        };
    }

    @Override
    public OptionalLong size(Path path) throws IOException {
        try {
            return OptionalLong.of(files.attributes(find(path)).sizeBytes());
        } catch (FsException e) {
            if (e.error() == FsError.NO_ENTRY) {
                return OptionalLong.empty();
            }
            throw new IOException(e);
        }
    }

    @Override
    public void close() {
        files.close();
    }
}
