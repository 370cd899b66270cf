package org.warpnfs.fs.local.libc;

/** A file handle as the kernel makes it: a type and bytes that mean something to the file system alone. */
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

    /** Not a copy. */
    public byte[] bytes() {
        return bytes;
    }
}
