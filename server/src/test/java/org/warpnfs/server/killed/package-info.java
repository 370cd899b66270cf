/** Tests that kill or stop the server at random moments. The clients know what the server acknowledged. */
package org.warpnfs.server.killed;
