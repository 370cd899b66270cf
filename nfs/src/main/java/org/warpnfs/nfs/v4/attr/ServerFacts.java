package org.warpnfs.nfs.v4.attr;

/**
 * What attributes tell of the server rather than of a file.
 *
 * @param leaseSeconds how long a client may be silent
 * @param maxReadBytes of one READ
 * @param maxWriteBytes of one WRITE
 */
public record ServerFacts(int leaseSeconds, int maxReadBytes, int maxWriteBytes) {}
