package org.warpnfs.rpcrdma.oncrpc;

import java.util.HashMap;
import java.util.Map;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.jspecify.annotations.Nullable;

/** The programs of one service, by number and version. Immutable. */
final class ProgramTable {
    /** The lowest and the highest version of one program. */
    record Versions(int lowest, int highest) {
        Versions with(int version) {
            return new Versions(Math.min(lowest, version), Math.max(highest, version));
        }
    }

    private final Map<OncRpcProgram, RpcDispatchable> programs;
    private final Map<Integer, Versions> versions = new HashMap<>();

    ProgramTable(Map<OncRpcProgram, RpcDispatchable> programs) {
        this.programs = Map.copyOf(programs);
        for (OncRpcProgram program : programs.keySet()) {
            int version = program.getVersion();
            versions.merge(program.getNumber(), new Versions(version, version), (known, added) -> known.with(version));
        }
    }

    @Nullable
    RpcDispatchable find(int program, int version) {
        return programs.get(new OncRpcProgram(program, version));
    }

    /** The versions of a program; null if there is no program of that number. */
    @Nullable
    Versions versionsOf(int program) {
        return versions.get(program);
    }
}
