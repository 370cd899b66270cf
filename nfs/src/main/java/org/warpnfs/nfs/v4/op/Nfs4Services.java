package org.warpnfs.nfs.v4.op;

import java.util.function.LongSupplier;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.v4.attr.ServerFacts;
import org.warpnfs.nfs.v4.layout.DataServerChoice;
import org.warpnfs.nfs.v4.state.StateTable;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.payload.PayloadPool;

/**
 * The server's objects that operations use.
 *
 * @param dataServers for layouts of pNFS
 * @param identity identifies this server, also after a restart, together with those that share its records
 * @param owner identifies this server among these
 * @param clockNanos monotonic
 */
public record Nfs4Services(
        ExportTable exports,
        NfsHandles handles,
        PayloadPool pool,
        StateTable state,
        ServerFacts facts,
        Opaque identity,
        DataServerChoice dataServers,
        Opaque owner,
        LongSupplier clockNanos) {}
