package org.warpnfs.fs.spi;

/**
 * Identifies one file among all others in this process, through whatever tree it was reached. Two trees of one
 * directory, a tree within another, and bind mounts of a tree have different {@linkplain FileHandle handles} for one
 * file but the same identity. So locks, share reservations and delegations belong to an identity, not to a handle.
 *
 * <p>An identity is valid as long as the file exists and the process runs. It must not be kept over a restart.
 *
 * @param medium the medium that the file is on: equal for all trees that can hold the same file
 * @param file names the file on that medium, and no other file that is or was there
 */
public record FileIdentity(Object medium, FileHandle file) {}
