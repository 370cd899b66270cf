package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.v4.xdr.Stateid;

/** What OPEN gives. */
public record OpenedFile(Stateid stateid, DelegationGrant delegation) {}
