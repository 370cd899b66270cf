package org.warpnfs.nfs.v4.xdr;

import java.util.EnumMap;
import java.util.Map;

/** An operation's status other than NFS4_OK. It carries no stack trace, since it reports no defect of the server. */
public class Nfs4Exception extends Exception {
    private static final long serialVersionUID = 1L;
    private static final Map<Nfs4Status, Nfs4Exception> INSTANCES = new EnumMap<>(Nfs4Status.class);

    static {
        for (Nfs4Status status : Nfs4Status.values()) {
            INSTANCES.put(status, new Nfs4Exception(status, status.name()));
        }
    }

    private final Nfs4Status status;

    protected Nfs4Exception(Nfs4Status status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    public static Nfs4Exception of(Nfs4Status status) {
        Nfs4Exception instance = INSTANCES.get(status);
        return instance != null ? instance : new Nfs4Exception(status, status.name());
    }

    public Nfs4Status status() {
        return status;
    }

    /** Encodes what follows the status in the operation's result. For most errors this is nothing. */
    public void encodeBody(CompoundWriter out) {
        // A union's default arm is void.
    }
}
