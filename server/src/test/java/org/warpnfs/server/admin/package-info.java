/** Tests of the admin interface with a real server. The clients share no code with the server. */
package org.warpnfs.server.admin;
