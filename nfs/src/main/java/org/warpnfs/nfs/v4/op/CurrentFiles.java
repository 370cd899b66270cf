package org.warpnfs.nfs.v4.op;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.nfs.export.Location;
import org.warpnfs.nfs.v4.xdr.Nfs4Exception;
import org.warpnfs.nfs.v4.xdr.Nfs4Status;
import org.warpnfs.nfs.v4.xdr.Stateid;

/**
 * The current and the saved filehandle of one COMPOUND, each with its stateid (RFC 8881, section 16.2.3.1). For one
 * thread.
 */
final class CurrentFiles {
    private final Admissions admissions;
    private final int minorVersion;
    private @Nullable Location current;
    private @Nullable Location saved;
    private @Nullable Location known;
    private @Nullable FileAttributes knownAttributes;
    private Stateid currentStateid = Stateid.ANONYMOUS;
    private Stateid savedStateid = Stateid.ANONYMOUS;

    CurrentFiles(Admissions admissions, int minorVersion) {
        this.admissions = admissions;
        this.minorVersion = minorVersion;
    }

    @Nullable
    Location currentOrNull() {
        return current;
    }

    /**
     * The current filehandle.
     *
     * @throws Nfs4Exception NOFILEHANDLE if there is none; WRONGSEC if its export does not accept the credential
     */
    Location current() throws Nfs4Exception {
        Location file = currentWithAnyFlavor();
        admissions.admit(file);
        return file;
    }

    /** The current filehandle, for an operation that judges the credential itself; NOFILEHANDLE if there is none. */
    Location currentWithAnyFlavor() throws Nfs4Exception {
        if (current == null) {
            throw Nfs4Exception.of(Nfs4Status.NOFILEHANDLE);
        }
        return current;
    }

    boolean isCurrentAbsent() {
        return current != null && current.isAbsent();
    }

    boolean hasSaved() {
        return saved != null;
    }

    private Location saved() throws Nfs4Exception {
        if (saved == null) {
            throw Nfs4Exception.of(Nfs4Status.NOFILEHANDLE);
        }
        return saved;
    }

    /**
     * The saved filehandle, for an operation on it and on the current one. It is judged by the rules that the current
     * one is judged by: the exports may have been read again since it was put, and then its export need not have
     * accepted the credential.
     *
     * @throws Nfs4Exception NOFILEHANDLE if one of them is missing; WRONGSEC if the export of the current one does not
     *     accept the credential; XDEV if they are of two exports, whether or not that of the saved one has accepted the
     *     credential (RFC 8881, section 2.6.3.1.2)
     */
    Location savedBesideCurrent() throws Nfs4Exception {
        Location one = saved();
        Location other = current();
        if (!one.export().isSame(other.export())) {
            throw Nfs4Exception.of(Nfs4Status.XDEV);
        }
        return other.sibling(one.file());
    }

    /**
     * Sets the current filehandle, without a stateid (RFC 8881, section 16.2.3.1.2). Every operation gets its files
     * through this method, so the policy of every file's export is applied.
     */
    void setCurrent(Location location) throws Nfs4Exception {
        admissions.admit(location);
        current = location;
        currentStateid = Stateid.ANONYMOUS;
    }

    /**
     * Sets the current filehandle as PUTFH and its like do. If an operation follows that judges the credential itself,
     * or none, the export need not accept it (RFC 8881, section 2.6.3.1.1).
     */
    void put(Location location, boolean isJudgedLater) throws Nfs4Exception {
        try {
            setCurrent(location);
        } catch (Nfs4Exception e) {
            if (e.status() != Nfs4Status.WRONGSEC || !isJudgedLater) {
                throw e;
            }
            current = location;
            currentStateid = Stateid.ANONYMOUS;
        }
    }

    /** Removes the current filehandle, as SECINFO does. */
    void clearCurrent() {
        current = null;
        currentStateid = Stateid.ANONYMOUS;
    }

    void setCurrentStateid(Stateid stateid) {
        currentStateid = stateid;
    }

    /** SAVEFH never fails for the credential: what uses the saved filehandle does, or RESTOREFH. */
    void save() throws Nfs4Exception {
        saved = currentWithAnyFlavor();
        savedStateid = currentStateid;
    }

    /** Makes the saved filehandle the current one, and judges it as {@link #put} does. */
    void restore(boolean isJudgedLater) throws Nfs4Exception {
        put(saved(), isJudgedLater);
        currentStateid = savedStateid;
    }

    /** Keeps all attributes of a file, which an operation has just read, for the operations after it. */
    void know(Location file, FileAttributes attributes) {
        known = file;
        knownAttributes = attributes;
    }

    /** The next operation may change files, or is to see the latest attributes. */
    void forgetAttributes() {
        known = null;
        knownAttributes = null;
    }

    /**
     * The wanted attributes of a file, as an operation of this COMPOUND has just read them, or else from the backend.
     */
    FileAttributes attributes(Location file, Set<FileAttribute> wanted) throws FsException {
        FileAttributes kept = kept(file);
        return kept != null ? kept : file.attributes(wanted);
    }

    /** All attributes of a file without a wait; null if the backend would have to wait. */
    @Nullable
    FileAttributes tryAttributes(Location file) throws FsException {
        FileAttributes kept = kept(file);
        return kept != null ? kept : file.fileSystem().tryAttributes(file.file());
    }

    private @Nullable FileAttributes kept(Location file) {
        return file.equals(known) ? knownAttributes : null;
    }

    /**
     * The stateid that an argument stands for. The special stateid CURRENT stands for the current filehandle's.
     *
     * @throws Nfs4Exception BAD_STATEID if it has none, and for any other special stateid except an anonymous one
     */
    Stateid resolve(Stateid argument) throws Nfs4Exception {
        return resolve(argument, currentStateid);
    }

    private Stateid resolve(Stateid argument, Stateid current) throws Nfs4Exception {
        boolean isMeant = minorVersion > 0 && argument.equals(Stateid.CURRENT);
        Stateid meant = isMeant ? current : argument;
        if (meant.isSpecial() && (isMeant || !meant.isAnonymous())) {
            throw Nfs4Exception.of(Nfs4Status.BAD_STATEID);
        }
        return meant;
    }

    /** Does the same as {@link #resolve}, with the saved filehandle's stateid for CURRENT. */
    Stateid resolveSaved(Stateid argument) throws Nfs4Exception {
        return resolve(argument, savedStateid);
    }
}
