/**
 * File attributes of NFSv4 (RFC 8881, section 5, RFC 7862, section 12, RFC 8276): a codec for each attribute, and
 * fattr4 made of them. The package knows the backend's attributes and exports, but neither state nor operations.
 */
@NullMarked
package org.warpnfs.nfs.v4.attr;

import org.jspecify.annotations.NullMarked;
