package org.warpnfs.nfs.v4.op;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Admission;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportDenial;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * Who the caller of one COMPOUND is, as each of the exports sees it that the COMPOUND comes to. Each is asked once, so
 * that no operation is judged in two ways. For one thread.
 */
final class Admissions {
    private record Admitted(Export export, Admission admission) {}

    private final Requester requester;
    private final List<Admitted> admissions = new ArrayList<>(1);

    Admissions(Requester requester) {
        this.requester = requester;
    }

    /** Comes to the export of {@code location}, or fails as its rules say. */
    void admit(Location location) throws Nfs4Exception {
        Export export = location.export();
        for (Admitted admitted : admissions) {
            if (admitted.export().equals(export)) {
                return;
            }
        }
        try {
            admissions.add(new Admitted(export, export.admit(requester)));
        } catch (ExportDenial e) {
            throw Nfs4Exception.of(
                    switch (e.reason()) {
                        case HOST -> Nfs4Status.ACCESS;
                        case PORT -> Nfs4Status.PERM;
                        case FLAVOR -> Nfs4Status.WRONGSEC;
                        case PENDING -> Nfs4Status.DELAY;
                    });
        }
    }

    /** Who calls, as the export of {@code location} sees it. */
    Caller callerAt(Location location) {
        return admissionTo(location).caller();
    }

    /** True if the caller may change nothing in the export of {@code location}. */
    boolean isReadOnly(Location location) {
        return admissionTo(location).readOnly();
    }

    /** ROFS on an export that is read-only for the caller. */
    void requireWritable(Location location) throws Nfs4Exception {
        if (isReadOnly(location)) {
            throw Nfs4Exception.of(Nfs4Status.ROFS);
        }
    }

    /** Which credentials are taken from the caller's host there, the best first. */
    List<Flavor> flavorsAt(Location location) throws FsException {
        return location.export().flavorsFor(requester.address());
    }

    /** True if the caller's host is served there at all. */
    boolean isShown(Location location) throws FsException {
        return location.export().isFor(requester.address());
    }

    private Admission admissionTo(Location location) {
        for (Admitted admitted : admissions) {
            if (admitted.export().equals(location.export())) {
                return admitted.admission();
            }
        }
        throw new IllegalStateException("nobody asked whether the call may come to " + location.export());
    }
}
