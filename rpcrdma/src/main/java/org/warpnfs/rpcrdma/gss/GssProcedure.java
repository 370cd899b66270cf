package org.warpnfs.rpcrdma.gss;

import org.jspecify.annotations.Nullable;

/** rpc_gss_proc_t (RFC 2203, section 5): what a call with this flavor is for. */
public enum GssProcedure {
    DATA(0),
    INIT(1),
    CONTINUE_INIT(2),
    DESTROY(3);

    private final int code;

    GssProcedure(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /** True for the two procedures that create a context. */
    public boolean isInit() {
        return this == INIT || this == CONTINUE_INIT;
    }

    static @Nullable GssProcedure of(int code) {
        for (GssProcedure procedure : values()) {
            if (procedure.code == code) {
                return procedure;
            }
        }
        return null;
    }
}
