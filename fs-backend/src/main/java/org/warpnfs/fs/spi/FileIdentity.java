package org.warpnfs.fs.spi;

/**
 * What tells one file from all others in this process, through whatever tree it was reached: two trees of one
 * directory, or one within the other, or bind mounts of them, have different {@linkplain FileHandle handles} for one
 * file but the same identity. So locks, share reservations and delegations belong to an identity, not to a handle.
 *
 * <p>Good as long as the file exists and the process runs; nothing to keep over a restart.
 *
 * @param medium what the file is on: equal for all trees that can hold the same file
 * @param file names the file on that medium, and no other that is or was there
 */
public record FileIdentity(Object medium, FileHandle file) {}
