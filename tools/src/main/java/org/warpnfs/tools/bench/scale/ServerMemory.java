package org.warpnfs.tools.bench.scale;

/**
 * What a server's process holds right after a full garbage collection, in bytes.
 *
 * @param resident its memory that is in RAM, of all kinds
 * @param heap the objects on the heap
 * @param direct buffers outside the heap that the Java library has allocated
 */
record ServerMemory(long resident, long heap, long direct) {}
