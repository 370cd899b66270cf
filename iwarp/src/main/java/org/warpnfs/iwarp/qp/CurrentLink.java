package org.warpnfs.iwarp.qp;

import java.net.InetSocketAddress;

/**
 * The current link of a machine. Only an initiator ever gets a second one, during its startup, if the peer does not
 * understand its request. The owner thread stays the same.
 */
final class CurrentLink implements QueuePairLink {
    private QueuePairLink link;

    CurrentLink(QueuePairLink link) {
        this.link = link;
    }

    void replace(QueuePairLink next) {
        link = next;
    }

    @Override
    public InetSocketAddress localAddress() {
        return link.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return link.remoteAddress();
    }

    @Override
    public boolean inOwnerThread() {
        return link.inOwnerThread();
    }

    @Override
    public void execute(Runnable task) {
        link.execute(task);
    }

    @Override
    public long nowNanos() {
        return link.nowNanos();
    }

    @Override
    public void outputReady() {
        link.outputReady();
    }

    @Override
    public boolean takesFileRanges() {
        return link.takesFileRanges();
    }

    @Override
    public long unsentBytes() {
        return link.unsentBytes();
    }

    @Override
    public void deadlineChanged() {
        link.deadlineChanged();
    }

    @Override
    public void endOutput() {
        link.endOutput();
    }

    @Override
    public void reconnect() {
        link.reconnect();
    }

    @Override
    public void close() {
        link.close();
    }

    @Override
    public void internalError(Throwable error) {
        link.internalError(error);
    }
}
