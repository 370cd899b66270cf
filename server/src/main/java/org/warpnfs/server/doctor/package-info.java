/**
 * Checks a host as a client or a server of NFS over RDMA, and says how to fix problems.
 *
 * <p>The checks access the host only through {@link org.warpnfs.server.doctor.Host}, and change nothing.
 */
@NullMarked
package org.warpnfs.server.doctor;

import org.jspecify.annotations.NullMarked;
