package org.warpnfs.nfs.v4.state.callback;

import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.state.core.ChannelAttributes;

/**
 * What CREATE_SESSION says of callbacks.
 *
 * @param wanted CREATE_SESSION4_FLAG_CONN_BACK_CHAN: the connection of the request is to carry them
 * @param program csa_cb_program
 * @param credential null if no flavor is offered that is served here: then there is no back channel
 * @param channel csa_back_chan_attrs
 * @param minorVersion of the session, and so of CB_COMPOUND
 */
public record CallbackParameters(
        boolean wanted,
        int program,
        @Nullable CallbackCredential credential,
        ChannelAttributes channel,
        int minorVersion) {}
