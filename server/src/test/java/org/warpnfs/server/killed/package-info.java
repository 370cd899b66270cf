/** The server killed at random moments, with clients that know what it had acknowledged. */
package org.warpnfs.server.killed;
