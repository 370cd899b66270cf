/**
 * A file system of Ceph, by libcephfs. It needs no mount of the kernel and no privilege. Handles are those of Ceph's
 * own inodes, so that all gateways of one file system give the same handle to a file, and keep it over restarts.
 *
 * <p>{@link org.warpnfs.fs.ceph.CephFileSystem} is the way in. {@link org.warpnfs.fs.ceph.Mounts} holds the mount that
 * is in use, {@link org.warpnfs.fs.ceph.Nodes} leads from handles to inodes, and the other classes make the calls of
 * one concern each.
 */
@NullMarked
package org.warpnfs.fs.ceph;

import org.jspecify.annotations.NullMarked;
