/**
 * Looks a host over, as a client or a server of NFS over RDMA, and says what would mend it.
 *
 * <p>The checks see the host through {@link org.warpnfs.server.doctor.Host} alone, and change nothing.
 */
@NullMarked
package org.warpnfs.server.doctor;

import org.jspecify.annotations.NullMarked;
