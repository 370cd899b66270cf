package org.warpnfs.nfs.v4.attr;

import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.Acls;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.FsLimits;
import org.warpnfs.fs.spi.FsStatistics;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.FsLocations;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.export.PseudoPath;

/** Source of the attributes of one file. What needs a call of the backend is fetched on demand. */
public final class AttributeSource {
    private final int minorVersion;
    private final ServerFacts server;
    private final NfsHandles handles;
    private final Location location;
    private final FileAttributes attributes;
    private final long mountedOnFileId;
    private @Nullable FsStatistics statistics;
    private @Nullable Acls acls;

    /**
     * @param mountedOnFileId the file id of the directory that the file covers, or its own (RFC 8881, section 5.8.2.23)
     */
    public AttributeSource(
            int minorVersion,
            ServerFacts server,
            NfsHandles handles,
            Location location,
            FileAttributes attributes,
            long mountedOnFileId) {
        this.minorVersion = minorVersion;
        this.server = server;
        this.handles = handles;
        this.location = location;
        this.attributes = attributes;
        this.mountedOnFileId = mountedOnFileId;
    }

    int minorVersion() {
        return minorVersion;
    }

    ServerFacts server() {
        return server;
    }

    FileAttributes file() {
        return attributes;
    }

    /** True if clients get layouts of files of the export. */
    boolean hasLayouts() {
        return server.layouts() && export().traits().layouts();
    }

    FsLimits limits() {
        return location.export().fileSystem().limits();
    }

    Export export() {
        return location.export();
    }

    /**
     * Where the files are. What is said of the export counts more than where all gateways are, since only an
     * administrator knows of copies. At the gateways an export has the same path, which is what Linux needs to see that
     * addresses are those of one server.
     */
    FsLocations locations() {
        FsLocations said = export().traits().locations();
        if (!said.places().isEmpty()) {
            return said;
        }
        PseudoPath path = export().path();
        return new FsLocations(
                false,
                server.gateways().hosts().stream()
                        .map(hosts -> new FsLocations.Place(hosts, path))
                        .toList());
    }

    int exportKey() {
        return location.export().key();
    }

    /** The file id of a virtual directory above the exports. */
    long mountedOnFileId() {
        return mountedOnFileId;
    }

    byte[] handle() {
        return handles.encode(location);
    }

    Acls acls() throws FsException {
        if (acls == null) {
            acls = location.export().fileSystem().acls(location.file());
        }
        return acls;
    }

    FsStatistics statistics() throws FsException {
        if (statistics == null) {
            statistics = location.export().fileSystem().statistics();
        }
        return statistics;
    }
}
