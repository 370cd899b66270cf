package org.warpnfs.nfs.v3;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.nfs.testing.ReplyReader;

/** Reads results of RFC 1813 word by word. */
final class V3Reply extends ReplyReader {
    V3Reply(byte[] message) {
        super(message);
    }

    /** fattr3. */
    record Attributes(
            int type,
            int mode,
            int nlink,
            int uid,
            int gid,
            long size,
            long used,
            int major,
            int minor,
            long fsid,
            long fileid,
            long atime,
            long mtime,
            long ctime) {}

    /** wcc_attr. */
    record Before(long size, long mtime, long ctime) {}

    /** wcc_data; a part that is null was absent. */
    record Wcc(Before before, Attributes after) {}

    /** entry3, entryplus3. */
    record Entry(String name, long fileid, long cookie, Attributes attributes, Nfs3Handle handle, int bytes) {}

    Nfs3Status status() {
        if (isDenied() || stat() != SUCCESS) {
            throw new AssertionError("no result, but denied " + isDenied() + " stat " + stat());
        }
        int code = word();
        for (Nfs3Status status : Nfs3Status.values()) {
            if (status.code() == code) {
                return status;
            }
        }
        throw new AssertionError("status " + code);
    }

    Attributes attributes() {
        return new Attributes(
                word(), word(), word(), word(), word(), hyper(), hyper(), word(), word(), hyper(), hyper(), hyper(),
                hyper(), hyper());
    }

    Attributes postOp() {
        return bool() ? attributes() : null;
    }

    Wcc wcc() {
        Before before = bool() ? new Before(hyper(), hyper(), hyper()) : null;
        return new Wcc(before, postOp());
    }

    byte[] handle() {
        return opaque(64);
    }

    byte[] postOpHandle() {
        return bool() ? handle() : null;
    }

    List<Entry> entries(boolean plus) {
        List<Entry> entries = new ArrayList<>();
        int start = position();
        while (bool()) {
            long fileid = hyper();
            String name = string();
            long cookie = hyper();
            Attributes attributes = plus ? postOp() : null;
            byte[] handle = plus ? postOpHandle() : null;
            entries.add(new Entry(
                    name,
                    fileid,
                    cookie,
                    attributes,
                    handle == null ? null : Nfs3Handle.of(handle),
                    position() - start));
            start = position();
        }
        return entries;
    }

    void end() {
        if (remaining() != 0) {
            throw new AssertionError(remaining() + " bytes after the result");
        }
    }
}
