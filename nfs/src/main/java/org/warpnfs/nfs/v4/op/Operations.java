package org.warpnfs.nfs.v4.op;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.OpCode;

/**
 * The class of each operation of each minor version. A known operation that is missing here is NOTSUPP: named
 * attributes, delegations on request, lists of the devices of pNFS, state protection by SSV, asynchronous copies and
 * those between servers, WRITE_SAME.
 */
public final class Operations {
    private static final Map<OpCode, Operation> BY_CODE = new EnumMap<>(OpCode.class);

    static {
        BY_CODE.put(OpCode.ACCESS, new Access());
        BY_CODE.put(OpCode.CLOSE, new Close());
        BY_CODE.put(OpCode.COMMIT, new Commit());
        BY_CODE.put(OpCode.CREATE, new Create());
        BY_CODE.put(OpCode.DELEGRETURN, new DelegReturn());
        BY_CODE.put(OpCode.GETATTR, new GetAttr());
        BY_CODE.put(OpCode.GETFH, new GetFh());
        BY_CODE.put(OpCode.LINK, new Link());
        BY_CODE.put(OpCode.LOCK, new Lock());
        BY_CODE.put(OpCode.LOCKT, new LockTest());
        BY_CODE.put(OpCode.LOCKU, new Unlock());
        BY_CODE.put(OpCode.LOOKUP, new Lookup());
        BY_CODE.put(OpCode.LOOKUPP, new LookupParent());
        BY_CODE.put(OpCode.NVERIFY, new Verify(false));
        BY_CODE.put(OpCode.OPEN, new Open());
        BY_CODE.put(OpCode.OPEN_DOWNGRADE, new OpenDowngrade());
        BY_CODE.put(OpCode.PUTFH, new PutFh());
        BY_CODE.put(OpCode.PUTPUBFH, new PutRootFh());
        BY_CODE.put(OpCode.PUTROOTFH, new PutRootFh());
        BY_CODE.put(OpCode.READ, new Read());
        BY_CODE.put(OpCode.READDIR, new ReadDir());
        BY_CODE.put(OpCode.READLINK, new ReadLink());
        BY_CODE.put(OpCode.REMOVE, new Remove());
        BY_CODE.put(OpCode.RENAME, new Rename());
        BY_CODE.put(OpCode.RESTOREFH, new RestoreFh());
        BY_CODE.put(OpCode.SAVEFH, new SaveFh());
        BY_CODE.put(OpCode.SECINFO, new SecInfo());
        BY_CODE.put(OpCode.SETATTR, new SetAttr());
        BY_CODE.put(OpCode.VERIFY, new Verify(true));
        BY_CODE.put(OpCode.WRITE, new Write());
        BY_CODE.put(OpCode.OPEN_CONFIRM, new OpenConfirm());
        BY_CODE.put(OpCode.RELEASE_LOCKOWNER, new ReleaseLockOwner());
        BY_CODE.put(OpCode.RENEW, new Renew());
        BY_CODE.put(OpCode.SETCLIENTID, new SetClientid());
        BY_CODE.put(OpCode.SETCLIENTID_CONFIRM, new SetClientidConfirm());
        BY_CODE.put(OpCode.BACKCHANNEL_CTL, new BackchannelCtl());
        BY_CODE.put(OpCode.BIND_CONN_TO_SESSION, new BindConnToSession());
        BY_CODE.put(OpCode.EXCHANGE_ID, new ExchangeId());
        BY_CODE.put(OpCode.CREATE_SESSION, new CreateSession());
        BY_CODE.put(OpCode.DESTROY_SESSION, new DestroySession());
        BY_CODE.put(OpCode.FREE_STATEID, new FreeStateid());
        BY_CODE.put(OpCode.GET_DIR_DELEGATION, new GetDirDelegation());
        BY_CODE.put(OpCode.SECINFO_NO_NAME, new SecInfoNoName());
        BY_CODE.put(OpCode.SEQUENCE, new Sequence());
        BY_CODE.put(OpCode.TEST_STATEID, new TestStateid());
        BY_CODE.put(OpCode.DESTROY_CLIENTID, new DestroyClientId());
        BY_CODE.put(OpCode.RECLAIM_COMPLETE, new ReclaimComplete());
        BY_CODE.put(OpCode.GETDEVICEINFO, new GetDeviceInfo());
        BY_CODE.put(OpCode.LAYOUTCOMMIT, new LayoutCommit());
        BY_CODE.put(OpCode.LAYOUTGET, new LayoutGet());
        BY_CODE.put(OpCode.LAYOUTRETURN, new LayoutReturn());
        BY_CODE.put(OpCode.LAYOUTERROR, new LayoutError());
        BY_CODE.put(OpCode.LAYOUTSTATS, new LayoutStats());
        BY_CODE.put(OpCode.ALLOCATE, new Allocate());
        BY_CODE.put(OpCode.COPY, new Copy());
        BY_CODE.put(OpCode.DEALLOCATE, new Deallocate());
        BY_CODE.put(OpCode.IO_ADVISE, new IoAdvise());
        BY_CODE.put(OpCode.READ_PLUS, new ReadPlus());
        BY_CODE.put(OpCode.SEEK, new Seek());
        BY_CODE.put(OpCode.CLONE, new CloneRange());
        BY_CODE.put(OpCode.GETXATTR, new GetXattr());
        BY_CODE.put(OpCode.SETXATTR, new SetXattr());
        BY_CODE.put(OpCode.LISTXATTRS, new ListXattrs());
        BY_CODE.put(OpCode.REMOVEXATTR, new RemoveXattr());
    }

    private Operations() {}

    /** The operation, or null if it is known but not supported in that minor version. */
    public static @Nullable Operation of(OpCode code, int minorVersion) {
        return code.isAllowedIn(minorVersion) ? BY_CODE.get(code) : null;
    }
}
