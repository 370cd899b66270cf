package org.warpnfs.tools.bench.nfs;

import java.io.IOException;
import java.time.Duration;
import org.warpnfs.rpcrdma.request.Requester;

/** A client of MOUNT version 3 (RFC 1813, appendix I), which turns a path into a file handle. */
public final class MountClient {
    private static final int PROGRAM = 100_005;
    private static final int VERSION = 3;
    private static final int MNT = 1;
    private static final int MAX_HANDLE_BYTES = 64;

    private final Calls calls;
    private final AuthSysCredential caller;
    private final CallBuffer buffer = new CallBuffer();

    public MountClient(Requester requester, AuthSysCredential caller, Duration timeout) {
        this.calls = new Calls(requester, timeout);
        this.caller = caller;
    }

    /** Returns the file handle of an exported directory. */
    public byte[] mount(String path) throws IOException {
        ReplyWords reply = calls.call(
                buffer.begin(caller, PROGRAM, VERSION, MNT).string(path).message(1));
        int status = reply.word();
        if (status != 0) {
            throw new NfsException("MOUNT " + path, status);
        }
        return reply.opaque(MAX_HANDLE_BYTES);
    }
}
