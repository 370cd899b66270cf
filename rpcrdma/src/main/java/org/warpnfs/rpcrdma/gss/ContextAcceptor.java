package org.warpnfs.rpcrdma.gss;

import org.ietf.jgss.GSSException;

/** Begins the acceptor's ends of contexts, with the server's credential. Safe for any thread. */
public interface ContextAcceptor {
    /**
     * A context that waits for its first token.
     *
     * @throws GSSException if there is no credential
     */
    SecurityContext begin() throws GSSException;
}
