package org.warpnfs.fs.ceph.librados;

import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.LONG;
import static org.warpnfs.fs.ceph.foreign.ForeignLibrary.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * A client of a cluster of Ceph: rados_t. It shares nothing with the mounts of libcephfs, so neither their load nor
 * their end delays its calls.
 *
 * <p>Each call fails with "no answer in time" after the time that the client was made with. What a change that failed
 * so has done is not known. Safe for any thread, but nothing may be called after {@link #close}.
 */
public final class RadosClient implements AutoCloseable {
    private static final MethodHandle CREATE = RadosLibrary.RADOS.intFunction("rados_create", POINTER, POINTER);
    private static final MethodHandle READ_CONF =
            RadosLibrary.RADOS.intFunction("rados_conf_read_file", POINTER, POINTER);
    private static final MethodHandle SET_CONF =
            RadosLibrary.RADOS.intFunction("rados_conf_set", POINTER, POINTER, POINTER);
    private static final MethodHandle CONNECT = RadosLibrary.RADOS.intFunction("rados_connect", POINTER);
    private static final MethodHandle SHUTDOWN = RadosLibrary.RADOS.voidFunction("rados_shutdown", POINTER);
    private static final MethodHandle COMMAND = RadosLibrary.RADOS.intFunction(
            "rados_mon_command", POINTER, POINTER, LONG, POINTER, LONG, POINTER, POINTER, POINTER, POINTER);
    private static final MethodHandle FREE = RadosLibrary.RADOS.voidFunction("rados_buffer_free", POINTER);
    private static final MethodHandle POOL =
            RadosLibrary.RADOS.intFunction("rados_ioctx_create", POINTER, POINTER, POINTER);
    private static final MethodHandle NAMESPACE =
            RadosLibrary.RADOS.voidFunction("rados_ioctx_set_namespace", POINTER, POINTER);

    private static final int MOST_ANSWER_BYTES = 1 << 24;

    private final MemorySegment cluster;

    private RadosClient(MemorySegment cluster) {
        this.cluster = cluster;
    }

    /**
     * Connects to a cluster.
     *
     * @param id the name of a user of the cluster, without {@code client.}
     * @param configuration ceph.conf
     * @param connectSeconds how long to wait for the monitors
     * @param callSeconds how long to wait for each later call
     */
    public static RadosClient connect(String id, String configuration, int connectSeconds, int callSeconds)
            throws RadosException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment made = arena.allocate(ValueLayout.ADDRESS);
            check("rados_create", (int) CREATE.invokeExact(made, arena.allocateFrom(id)));
            RadosClient client = new RadosClient(made.get(ValueLayout.ADDRESS, 0));
            boolean done = false;
            try {
                check(configuration, (int) READ_CONF.invokeExact(client.cluster, arena.allocateFrom(configuration)));
                client.set(arena, "client_mount_timeout", connectSeconds);
                client.set(arena, "rados_mon_op_timeout", callSeconds);
                client.set(arena, "rados_osd_op_timeout", callSeconds);
                check("connecting as client." + id, (int) CONNECT.invokeExact(client.cluster));
                done = true;
            } finally {
                if (!done) {
                    client.close();
                }
            }
            return client;
        } catch (RadosException e) {
            throw e;
        } catch (Throwable e) {
            throw RadosLibrary.broken(e);
        }
    }

    private void set(Arena arena, String option, int value) throws Throwable {
        check(option, (int)
                SET_CONF.invokeExact(cluster, arena.allocateFrom(option), arena.allocateFrom(Integer.toString(value))));
    }

    static int check(String call, int result) throws RadosException {
        if (result < 0) {
            throw new RadosException(call, -result);
        }
        return result;
    }

    /** Asks the monitors. Returns what they answer, in the format that the command names. */
    public String command(String json) throws RadosException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment commands = arena.allocate(ValueLayout.ADDRESS);
            commands.set(ValueLayout.ADDRESS, 0, arena.allocateFrom(json));
            MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment outBytes = arena.allocate(ValueLayout.JAVA_LONG);
            int result = (int) COMMAND.invokeExact(
                    cluster,
                    commands,
                    1L,
                    MemorySegment.NULL,
                    0L,
                    out,
                    outBytes,
                    MemorySegment.NULL,
                    MemorySegment.NULL);
            check(json, result);
            MemorySegment answer = out.get(ValueLayout.ADDRESS, 0);
            long length = outBytes.get(ValueLayout.JAVA_LONG, 0);
            try {
                if (length < 0 || length > MOST_ANSWER_BYTES) {
                    throw new IllegalStateException("the monitors answer with " + length + " bytes");
                }
                byte[] text = answer.reinterpret(length).toArray(ValueLayout.JAVA_BYTE);
                return new String(text, StandardCharsets.UTF_8);
            } finally {
                FREE.invokeExact(answer);
            }
        } catch (RadosException | IllegalStateException e) {
            throw e;
        } catch (Throwable e) {
            throw RadosLibrary.broken(e);
        }
    }

    /** The objects of one namespace of a pool. */
    public RadosObjects objects(String pool, String namespace) throws RadosException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment made = arena.allocate(ValueLayout.ADDRESS);
            check("pool " + pool, (int) POOL.invokeExact(cluster, arena.allocateFrom(pool), made));
            MemorySegment context = made.get(ValueLayout.ADDRESS, 0);
            NAMESPACE.invokeExact(context, arena.allocateFrom(namespace));
            return new RadosObjects(context);
        } catch (RadosException e) {
            throw e;
        } catch (Throwable e) {
            throw RadosLibrary.broken(e);
        }
    }

    /** Ends the connection. Everything that was got from this client was closed before. */
    @Override
    public void close() {
        try {
            SHUTDOWN.invokeExact(cluster);
        } catch (Throwable e) {
            throw RadosLibrary.broken(e);
        }
    }
}
