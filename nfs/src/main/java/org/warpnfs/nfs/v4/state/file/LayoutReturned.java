package org.warpnfs.nfs.v4.state.file;

/** Which layouts of a file a LAYOUTRETURN returns. Neither if it returns only a part of the file. */
public record LayoutReturned(boolean ofReading, boolean ofWriting) {}
