package org.warpnfs.iwarp.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * Epoll that keeps a socket while nothing of it is waited for.
 *
 * <h2>Operation</h2>
 *
 * A socket whose peer has ended its direction is not waited for to be read, nor, while it takes all that is written, to
 * be written. Netty (4.2.18) takes it out of epoll then, but goes on as if it were in there: when it is full, and has
 * to be waited for again, that fails, and the connection with it. So it stays in, waited for in no way but the one that
 * cannot be refused, errors, and for those edge-triggered, lest a reset be reported for ever.
 *
 * <h2>Buffers</h2>
 *
 * None.
 *
 * <h2>Errors</h2>
 *
 * Those of Netty's own.
 *
 * <p>One event loop each.
 */
final class LastingEpoll implements IoHandler {
    private final IoHandler epoll;

    private LastingEpoll(IoHandler epoll) {
        this.epoll = epoll;
    }

    static IoHandlerFactory newFactory() {
        IoHandlerFactory factory = EpollIoHandler.newFactory();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new LastingEpoll(factory.newHandler(executor));
            }

            @Override
            public boolean isChangingThreadSupported() {
                return factory.isChangingThreadSupported();
            }
        };
    }

    private record Registration(IoRegistration epoll) implements IoRegistration {
        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // so Netty declares it
        public <T> T attachment() {
            return epoll.attachment();
        }

        @Override
        public long submit(IoOps ops) {
            return epoll.submit(EpollIoOps.NONE.equals(ops) ? EpollIoOps.EPOLLET : ops);
        }

        @Override
        public boolean isValid() {
            return epoll.isValid();
        }

        @Override
        public boolean cancel() {
            return epoll.cancel();
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return new Registration(epoll.register(handle));
    }

    @Override
    public void initialize() {
        epoll.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return epoll.run(context);
    }

    @Override
    public void prepareToDestroy() {
        epoll.prepareToDestroy();
    }

    @Override
    public void destroy() {
        epoll.destroy();
    }

    @Override
    public void wakeup() {
        epoll.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return epoll.isCompatible(handleType);
    }
}
