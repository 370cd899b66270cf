package org.warpnfs.fs.spi;

/**
 * Changes to the access control lists of a file.
 *
 * @param access change of the access list; a new list that is minimal sets the file's permissions and is not kept as a
 *     list
 * @param inherited change of a directory's default list; on any other file, its removal does nothing
 */
public record AclChanges(Change access, Change inherited) {
    /** A change of one of the two lists. */
    public sealed interface Change {
        Change KEEP = new Keep();
        Change REMOVE = new Remove();

        record Keep() implements Change {}

        /** The list is removed; the permissions stay as they are. */
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
