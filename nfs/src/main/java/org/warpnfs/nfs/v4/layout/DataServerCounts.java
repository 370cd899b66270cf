package org.warpnfs.nfs.v4.layout;

/**
 * What clients have reported of a data server since the start.
 *
 * @param name its first address, as {@code 10.0.0.1:2049}
 * @param errors errors there
 */
public record DataServerCounts(String name, DeviceUse use, long errors) {}
