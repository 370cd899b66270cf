package org.warpnfs.nfs.v4.op;

import java.util.ArrayList;
import java.util.List;
import org.warpnfs.fs.spi.Caller;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.limits.Protection;
import org.warpnfs.nfs.export.Admission;
import org.warpnfs.nfs.export.Export;
import org.warpnfs.nfs.export.ExportDenial;
import org.warpnfs.nfs.export.Flavor;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.export.Requester;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;

/**
 * The caller of one COMPOUND in each export that the COMPOUND uses. Each export decides once, so that all operations
 * are judged alike. For one thread.
 */
final class Admissions {
    private record Admitted(Export export, Admission admission) {}

    private final Requester requester;
    private final List<Admitted> admissions = new ArrayList<>(1);

    Admissions(Requester requester) {
        this.requester = requester;
    }

    /** Gets the admission of the export of {@code location}, or fails as the export's rules say. */
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
                        case HOST, TRANSPORT -> Nfs4Status.ACCESS;
                        case PORT -> Nfs4Status.PERM;
                        case FLAVOR, PROTECTION -> Nfs4Status.WRONGSEC;
                        case PENDING -> Nfs4Status.DELAY;
                    });
        }
    }

    /** True if the export of {@code location} accepts the caller. */
    boolean isAdmitted(Location location) {
        return admissions.stream().anyMatch(admitted -> admitted.export().equals(location.export()));
    }

    /** The caller in the export of {@code location}. */
    Caller callerAt(Location location) {
        return admissionTo(location).caller();
    }

    /** True if the caller may change nothing in the export of {@code location}. */
    boolean isReadOnly(Location location) {
        return admissionTo(location).readOnly();
    }

    /** Throws ROFS if the export is read-only for the caller. */
    void requireWritable(Location location) throws Nfs4Exception {
        if (isReadOnly(location)) {
            throw Nfs4Exception.of(Nfs4Status.ROFS);
        }
    }

    /**
     * True if the caller uses AUTH_SYS over a connection without TLS, and the export accepts AUTH_SYS from the caller's
     * host.
     */
    boolean isPlain(Location location) throws FsException {
        return requester.identity().flavor() == Flavor.SYS
                && requester.security().protection() == Protection.NONE
                && flavorsAt(location).contains(Flavor.SYS);
    }

    /** The credentials that are accepted from the caller's host there, the preferred one first. */
    List<Flavor> flavorsAt(Location location) throws FsException {
        return location.export().flavorsFor(requester.address());
    }

    /** True if the export serves the caller's host. */
    boolean isShown(Location location) throws FsException {
        return location.export().isFor(requester.address());
    }

    private Admission admissionTo(Location location) {
        for (Admitted admitted : admissions) {
            if (admitted.export().equals(location.export())) {
                return admitted.admission();
            }
        }
        throw new IllegalStateException("the call was not admitted to " + location.export());
    }
}
