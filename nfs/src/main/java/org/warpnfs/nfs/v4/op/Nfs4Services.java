package org.warpnfs.nfs.v4.op;

import java.util.function.LongSupplier;
import org.warpnfs.nfs.export.ExportTable;
import org.warpnfs.nfs.export.NfsHandles;
import org.warpnfs.nfs.v4.attr.ServerFacts;
import org.warpnfs.nfs.v4.state.StateTable;
import org.warpnfs.nfs.v4.xdr.Opaque;
import org.warpnfs.payload.PayloadPool;

/**
 * What operations work with.
 *
 * @param identity who this server is, the same over restarts
 * @param clockNanos monotonic
 */
public record Nfs4Services(
        ExportTable exports,
        NfsHandles handles,
        PayloadPool pool,
        StateTable state,
        ServerFacts facts,
        Opaque identity,
        LongSupplier clockNanos) {}
