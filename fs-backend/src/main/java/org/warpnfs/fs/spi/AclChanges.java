package org.warpnfs.fs.spi;

/**
 * What to do with the access control lists of a file.
 *
 * @param access a list that is minimal becomes the file's permissions and no list
 * @param inherited of a directory; to remove that of anything else is to do nothing
 */
public record AclChanges(Change access, Change inherited) {
    /** What to do with one of the two. */
    public sealed interface Change {
        Change KEEP = new Keep();
        Change REMOVE = new Remove();

        record Keep() implements Change {}

        /** Permissions stay what they are. */
        record Remove() implements Change {}

        record Replace(PosixAcl acl) implements Change {}
    }

    /** Replaces the access list alone. */
    public static AclChanges ofAccess(PosixAcl acl) {
        return new AclChanges(new Change.Replace(acl), Change.KEEP);
    }

    /** Replaces the default list alone. */
    public static AclChanges ofInherited(PosixAcl acl) {
        return new AclChanges(Change.KEEP, new Change.Replace(acl));
    }
}
