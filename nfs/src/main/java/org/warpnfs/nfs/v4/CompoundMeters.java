package org.warpnfs.nfs.v4;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.stats.CallRecorder;
import org.warpnfs.nfs.stats.Metered;
import org.warpnfs.nfs.stats.OperationMeter;
import org.warpnfs.nfs.v4.xdr.OpCode;

/** The meters of COMPOUND and of its operations, by minor version. Immutable; safe for any thread. */
final class CompoundMeters {
    private final CallRecorder recorder;
    private final List<OfVersion> versions = new ArrayList<>();

    /** @param lastMinorVersion the highest minor version that is served */
    CompoundMeters(CallRecorder recorder, int lastMinorVersion) {
        this.recorder = recorder;
        for (int minor = 0; minor <= lastMinorVersion; minor++) {
            versions.add(new OfVersion(recorder, minor));
        }
    }

    CallRecorder recorder() {
        return recorder;
    }

    OfVersion of(int minorVersion) {
        return versions.get(minorVersion);
    }

    /** The meters of one minor version. */
    static final class OfVersion {
        private final OperationMeter compound;
        private final OperationMeter illegal;
        // Filled here and never changed again, so it can be read without a lock.
        private final Map<OpCode, OperationMeter> operations = new EnumMap<>(OpCode.class);

        private OfVersion(CallRecorder recorder, int minor) {
            String version = "4." + minor;
            compound = recorder.meter(Metered.call("nfs", version, "COMPOUND"));
            illegal = recorder.meter(Metered.operation(version, "ILLEGAL"));
            for (OpCode code : OpCode.values()) {
                operations.put(code, recorder.meter(Metered.operation(version, code.name())));
            }
        }

        OperationMeter compound() {
            return compound;
        }

        /** @param code null for a number that is no operation of this minor version */
        OperationMeter operation(@Nullable OpCode code) {
            OperationMeter known = code == null ? null : operations.get(code);
            return known == null ? illegal : known;
        }
    }
}
