package org.warpnfs.nfs.nlm;

import java.util.function.BooleanSupplier;
import org.warpnfs.nfs.export.FileChanges;

/**
 * What NLM needs of the other programs.
 *
 * @param departed asks whether an owner whose lock conflicts is still there
 * @param otherGrace true while clients of another protocol may reclaim
 * @param otherRecovery true while clients of another protocol of this server may reclaim; not while only those of
 *     another server may
 * @param ownReclaims false while clients of this server must not reclaim, since another server may still grant what
 *     they had. It must answer at once
 * @param calls calls clients
 * @param fileChanges told before a file is locked: a client with a delegation locks it without asking
 * @param opens asked before a share reservation is made
 */
public record OtherPrograms(
        DepartedOwners departed,
        BooleanSupplier otherGrace,
        BooleanSupplier otherRecovery,
        BooleanSupplier ownReclaims,
        PeerCalls calls,
        FileChanges fileChanges,
        OpenShares opens) {}
