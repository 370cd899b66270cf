package org.warpnfs.nfs.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.warpnfs.nfs.locks.NamedLocks.owner;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.warpnfs.fs.local.DescriptorBudget;
import org.warpnfs.fs.local.LocalFileSystem;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FsError;
import org.warpnfs.fs.spi.FsException;
import org.warpnfs.fs.spi.OwnerLocks;

/** {@link LocksAtBackendFixture} with a backend that fails when a test says so. */
abstract class BackendFaultsFixture extends LocksAtBackendFixture {
    /** What the next calls of the backend do first. */
    final AtomicReference<Fault> fault = new AtomicReference<>(Fault.NONE);

    final NamedLocks.Named a = owner("a");
    final NamedLocks.Named b = owner("b");

    private int descriptors;

    /** A failure of the backend, or none. */
    interface Fault {
        Fault NONE = _ -> {};

        void on(String call) throws FsException;

        static Fault of(String call, FsError error) {
            return made -> {
                if (made.equals(call)) {
                    throw FsException.of(error);
                }
            };
        }
    }

    private final class Watched implements OwnerLocks {
        private final OwnerLocks locks;

        Watched(OwnerLocks locks) {
            this.locks = locks;
        }

        @Override
        public Optional<Holder> tryLock(boolean exclusive, long first, long last) throws FsException {
            fault.get().on("lock");
            return locks.tryLock(exclusive, first, last);
        }

        @Override
        public void unlock(long first, long last) throws FsException {
            fault.get().on("unlock");
            locks.unlock(first, last);
        }

        @Override
        public Optional<Holder> test(boolean exclusive, long first, long last) throws FsException {
            fault.get().on("test");
            return locks.test(exclusive, first, last);
        }

        @Override
        public void close() {
            locks.close();
        }
    }

    private FileSystem watched(LocalFileSystem backend) {
        return (FileSystem) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {FileSystem.class}, (_, method, arguments) -> {
                    try {
                        if (method.getName().equals("openLocks")) {
                            fault.get().on("open");
                            return new Watched((OwnerLocks) method.invoke(backend, arguments));
                        }
                        return method.invoke(backend, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @BeforeEach
    @Override
    void start() throws Exception {
        descriptors = DescriptorBudget.ofProcess().usedByFiles();
        super.start();
        file = LockedFile.of(watched(files), handle(files));
    }

    @AfterEach
    @Override
    void stop() {
        super.stop();
        assertThat(DescriptorBudget.ofProcess().usedByFiles()).isEqualTo(descriptors);
    }

    /** Lets time pass, and returns the words of those who were told. */
    List<String> timePasses() {
        runAll(timers);
        return toldNow();
    }
}
