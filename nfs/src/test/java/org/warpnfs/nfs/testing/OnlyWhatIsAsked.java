package org.warpnfs.nfs.testing;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.warpnfs.fs.spi.DirectoryEntry;
import org.warpnfs.fs.spi.FileAttribute;
import org.warpnfs.fs.spi.FileAttributes;
import org.warpnfs.fs.spi.FileNode;
import org.warpnfs.fs.spi.FileSystem;
import org.warpnfs.fs.spi.FileSystem.EntryVisitor;
import org.warpnfs.fs.spi.OpenFile;
import org.warpnfs.fs.spi.Timestamp;

/**
 * A file system whose attributes are wrong, unless they were asked for. Whoever uses one that was not asked for sends
 * nonsense to clients. Safe for any thread.
 */
public final class OnlyWhatIsAsked {
    private static final Set<String> QUESTIONS = Set.of("attributes", "attributesAfterWrite", "list");
    private static final int NONSENSE = 0x5a5;
    private static final Timestamp SOME_TIME = new Timestamp(NONSENSE, NONSENSE);

    private final List<Set<FileAttribute>> asked = new ArrayList<>();

    /** The file system to be served. */
    public FileSystem over(FileSystem target) {
        return wrapped(FileSystem.class, target);
    }

    /** Serves {@code target} so, for a test that does not look at what was asked. */
    public static FileSystem of(FileSystem target) {
        return new OnlyWhatIsAsked().over(target);
    }

    /** What was asked for since the last call of this method, in order. */
    public List<Set<FileAttribute>> asked() {
        synchronized (asked) {
            List<Set<FileAttribute>> all = List.copyOf(asked);
            asked.clear();
            return all;
        }
    }

    private <T> T wrapped(Class<T> type, T target) {
        return type.cast(Proxy.newProxyInstance(
                FileSystem.class.getClassLoader(), new Class<?>[] {type}, new Calls(this, target)));
    }

    /** The calls of a file system or of an open file. */
    private record Calls(OnlyWhatIsAsked asking, Object target) implements InvocationHandler {
        @Override
        public Object invoke(Object proxy, Method called, Object[] args) throws Throwable {
            Object[] passed = args == null ? new Object[0] : args.clone();
            Set<FileAttribute> wanted = wanted(called, passed);
            if (wanted != null) {
                asking.note(wanted);
            }
            for (int i = 0; i < passed.length; i++) {
                if (passed[i] instanceof EntryVisitor visitor && wanted != null) {
                    passed[i] = new Visitor(visitor, wanted);
                } else if (passed[i] instanceof OpenFile file
                        && Proxy.isProxyClass(file.getClass())
                        && Proxy.getInvocationHandler(file) instanceof Calls calls) {
                    passed[i] = calls.target;
                }
            }
            try {
                Object result = called.invoke(target, passed);
                return switch (result) {
                    case OpenFile file -> asking.wrapped(OpenFile.class, file);
                    case FileAttributes attributes when wanted != null -> only(wanted, attributes);
                    case null, default -> result;
                };
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        @SuppressWarnings("unchecked")
        private static @Nullable Set<FileAttribute> wanted(Method called, Object[] args) {
            for (int i = 0; i < args.length; i++) {
                if (QUESTIONS.contains(called.getName()) && args[i] instanceof Set<?> set) {
                    return (Set<FileAttribute>) set;
                }
            }
            return null;
        }
    }

    private record Visitor(EntryVisitor visitor, Set<FileAttribute> wanted) implements EntryVisitor {
        @Override
        public boolean visit(DirectoryEntry entry) {
            FileNode node = entry.node();
            FileNode seen = node == null ? null : new FileNode(node.handle(), only(wanted, node.attributes()));
            return visitor.visit(new DirectoryEntry(
                    entry.name(), entry.cookie(), entry.fileId(), entry.type(), seen, entry.error()));
        }

        @Override
        public int room() {
            return visitor.room();
        }
    }

    private void note(Set<FileAttribute> wanted) {
        synchronized (asked) {
            asked.add(wanted);
        }
    }

    private static FileAttributes only(Set<FileAttribute> wanted, FileAttributes all) {
        return new FileAttributes(
                all.type(),
                wanted.contains(FileAttribute.PERMISSIONS) ? all.permissions() : NONSENSE,
                wanted.contains(FileAttribute.LINK_COUNT) ? all.linkCount() : NONSENSE,
                wanted.contains(FileAttribute.OWNER) ? all.uid() : NONSENSE,
                wanted.contains(FileAttribute.GROUP) ? all.gid() : NONSENSE,
                wanted.contains(FileAttribute.SIZE) ? all.sizeBytes() : NONSENSE,
                wanted.contains(FileAttribute.USED) ? all.usedBytes() : NONSENSE,
                all.deviceMajor(),
                all.deviceMinor(),
                all.fileSystemId(),
                all.fileId(),
                wanted.contains(FileAttribute.ACCESS_TIME) ? all.accessTime() : SOME_TIME,
                wanted.contains(FileAttribute.MODIFY_TIME) ? all.modifyTime() : SOME_TIME,
                wanted.contains(FileAttribute.CHANGE_TIME) ? all.changeTime() : SOME_TIME,
                wanted.contains(FileAttribute.BIRTH_TIME) ? all.birthTime() : SOME_TIME,
                wanted.contains(FileAttribute.CHANGE_ID) ? all.changeId() : NONSENSE);
    }
}
