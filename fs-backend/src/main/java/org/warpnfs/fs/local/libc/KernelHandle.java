package org.warpnfs.fs.local.libc;

/** A file handle made by the kernel: a type, and bytes that only the file system interprets. */
public final class KernelHandle {
    private final int type;
    private final byte[] bytes;

    public KernelHandle(int type, byte[] bytes) {
        this.type = type;
        this.bytes = bytes;
    }

    public int type() {
        return type;
    }

    /** The bytes themselves, not a copy. */
    public byte[] bytes() {
        return bytes;
    }
}
