package org.warpnfs.fs.spi;

/** The kinds of file of POSIX. */
public enum FileType {
    REGULAR,
    DIRECTORY,
    SYMLINK,
    BLOCK_DEVICE,
    CHARACTER_DEVICE,
    FIFO,
    SOCKET
}
