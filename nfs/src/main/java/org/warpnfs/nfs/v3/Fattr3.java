package org.warpnfs.nfs.v3;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileType;
import org.warpnfs.nfs.export.Export;

/**
 * fattr3 (RFC 1813, section 2.6), 84 bytes.
 *
 * <pre>
 * bytes  field
 *  0- 3  type
 *  4- 7  mode: the low twelve bits
 *  8-11  nlink
 * 12-15  uid
 * 16-19  gid
 * 20-27  size
 * 28-35  used
 * 36-43  rdev: major, minor
 * 44-51  fsid: the export's key, and the backend's file system id folded into 32 bits
 * 52-59  fileid
 * 60-67  atime
 * 68-75  mtime
 * 76-83  ctime
 * </pre>
 */
record Fattr3(int exportKey, FileAttributes attributes) {
    static final int ENCODED_BYTES = 84;

    /** What it is made of; NFSv3 has no time of creation, and no change id. */
    static final Set<FileAttribute> NEEDED =
            Collections.unmodifiableSet(EnumSet.range(FileAttribute.PERMISSIONS, FileAttribute.CHANGE_TIME));

    static Fattr3 of(Export export, FileAttributes attributes) {
        return new Fattr3(export.key(), attributes);
    }

    void encode(XdrEncodingStream xdr) {
        xdr.xdrEncodeInt(ftype3(attributes.type()));
        xdr.xdrEncodeInt(attributes.permissions());
        xdr.xdrEncodeInt(attributes.linkCount());
        xdr.xdrEncodeInt((int) attributes.uid());
        xdr.xdrEncodeInt((int) attributes.gid());
        xdr.xdrEncodeLong(attributes.sizeBytes());
        xdr.xdrEncodeLong(attributes.usedBytes());
        xdr.xdrEncodeInt(attributes.deviceMajor());
        xdr.xdrEncodeInt(attributes.deviceMinor());
        xdr.xdrEncodeLong(fsid());
        xdr.xdrEncodeLong(attributes.fileId());
        NfsTime3.of(attributes.accessTime()).encode(xdr);
        NfsTime3.of(attributes.modifyTime()).encode(xdr);
        NfsTime3.of(attributes.changeTime()).encode(xdr);
    }

    private long fsid() {
        return (long) exportKey << 32 | Integer.toUnsignedLong(Long.hashCode(attributes.fileSystemId()));
    }

    private static int ftype3(FileType type) {
        return switch (type) {
            case REGULAR -> 1;
            case DIRECTORY -> 2;
            case BLOCK_DEVICE -> 3;
            case CHARACTER_DEVICE -> 4;
            case SYMLINK -> 5;
            case SOCKET -> 6;
            case FIFO -> 7;
        };
    }
}
