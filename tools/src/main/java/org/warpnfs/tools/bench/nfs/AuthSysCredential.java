package org.warpnfs.tools.bench.nfs;

/**
 * AUTH_SYS credentials (RFC 5531, appendix A), without supplementary groups.
 *
 * @param machine at most 255 ASCII characters
 */
public record AuthSysCredential(String machine, int uid, int gid) {}
