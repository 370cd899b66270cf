package org.warpnfs.nfs.v4.state.callback;

import org.warpnfs.nfs.v4.state.core.ChannelAttributes;

/**
 * Arguments of CREATE_SESSION about callbacks.
 *
 * @param wanted CREATE_SESSION4_FLAG_CONN_BACK_CHAN: the connection of the request should carry callbacks
 * @param program csa_cb_program
 * @param credentials csa_sec_parms; if there is none, there is no back channel
 * @param channel csa_back_chan_attrs
 * @param minorVersion of the session, and so of CB_COMPOUND
 */
public record CallbackParameters(
        boolean wanted, int program, OfferedCredentials credentials, ChannelAttributes channel, int minorVersion) {}
