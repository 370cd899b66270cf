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
 * Who may come to the socket, by what the kernel says of the process at its other end (SO_PEERCRED): the server's own
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
            // A number names a user as well; principals are equal if their numbers are.
            admitted.add(
                    FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(uid));
        } catch (IOException e) {
            LOG.warn("user {} is not let in at the admin socket: {}", uid, e.getMessage());
        }
    }

    /** False also where the kernel does not say who it is. */
    boolean mayEnter(Channel channel) {
        UnixDomainPrincipal peer = channel.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
        return peer != null && mayEnter(peer.user());
    }

    boolean mayEnter(UserPrincipal user) {
        return admitted.contains(user);
    }
}
