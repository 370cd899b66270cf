package org.warpnfs.server.admin;

import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioChannelOption;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.List;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides who may use the socket, by the kernel's identification of the peer process (SO_PEERCRED): the server's own
 * user, and root.
 */
final class PeerCheck {
    private static final Logger LOG = LoggerFactory.getLogger(PeerCheck.class);
    private static final String ROOT = "0";

    private final List<UserPrincipal> admitted = new ArrayList<>();

    PeerCheck() {
        admit(Long.toString(ProcessUser.effectiveUid()));
        admit(ROOT);
    }

    private void admit(String uid) {
        try {
            // Looking up a number works too, and principals are equal if their numbers are equal.
            admitted.add(
                    FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(uid));
        } catch (IOException e) {
            LOG.warn("user {} may not use the admin socket: {}", uid, e.getMessage());
        }
    }

    /** Returns whether the peer may use the socket; false if the kernel does not identify it. */
    boolean mayEnter(Channel channel) {
        UnixDomainPrincipal peer = channel.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
        return peer != null && mayEnter(peer.user());
    }

    boolean mayEnter(UserPrincipal user) {
        return admitted.contains(user);
    }
}
