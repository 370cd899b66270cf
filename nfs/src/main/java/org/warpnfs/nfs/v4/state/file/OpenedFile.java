package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.v4.xdr.Stateid;

/** Result of OPEN. */
public record OpenedFile(Stateid stateid, DelegationGrant delegation) {}
