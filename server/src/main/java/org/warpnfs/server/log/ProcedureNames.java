package org.warpnfs.server.log;

import java.util.List;
import java.util.Map;
import org.warpnfs.lanes.CallOnThread;
import org.warpnfs.nfs.mount.MountProgram;
import org.warpnfs.nfs.nlm.NlmProgram;
import org.warpnfs.nfs.nlm.NsmProgram;
import org.warpnfs.nfs.v3.Nfs3Program;
import org.warpnfs.nfs.v3.NfsAclProgram;

/**
 * The names of procedures from the RFCs (RFC 1813, RFC 8881, RFC 1833), as in the slow-call log; a number if there is
 * no name.
 */
final class ProcedureNames {
    private static final Map<Long, String> PROGRAMS = Map.of(
            100_000L, "portmap",
            100_003L, "nfs",
            100_005L, "mount",
            100_021L, "nlm",
            100_024L, "nsm",
            100_227L, "nfsacl");

    private static final List<String> NFS_4 = List.of("NULL", "COMPOUND");

    private ProcedureNames() {}

    static String of(CallOnThread.Procedure called) {
        String program = PROGRAMS.getOrDefault(called.program(), Long.toString(called.program()));
        List<String> names =
                switch (program) {
                    case "nfs" -> called.version() == 4 ? NFS_4 : Nfs3Program.NAMES;
                    case "mount" -> MountProgram.NAMES;
                    case "nfsacl" -> NfsAclProgram.NAMES;
                    case "nlm" -> NlmProgram.NAMES;
                    case "nsm" -> NsmProgram.NAMES;
                    default -> List.of();
                };
        String procedure = called.procedure() < names.size()
                ? names.get((int) called.procedure())
                : Long.toString(called.procedure());
        return program + " " + called.version() + " " + procedure;
    }
}
