/** Tests over a real server, with clients that share nothing with it. */
package org.warpnfs.server.admin;
