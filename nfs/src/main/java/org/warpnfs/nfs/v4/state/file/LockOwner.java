package org.warpnfs.nfs.v4.state.file;

import org.warpnfs.nfs.v4.state.core.Client;
import org.warpnfs.nfs.v4.xdr.Opaque;

/** A lock-owner: one client's name for whoever locks there. */
public record LockOwner(Client client, Opaque owner) {}
