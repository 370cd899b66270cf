package org.warpnfs.nfs.v4.layout;

import com.google.common.hash.Hashing;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.warpnfs.nfs.v4.xdr.CompoundWriter;

/**
 * A data server: another gateway to the same files, which serves them by NFSv3 under the same handles.
 *
 * <pre>
 *   ff_device_addr4 (RFC 8435, section 4.1)
 *   multipath_list4        ffda_netaddrs    netaddr4 { netid, address } &lt;&gt;
 *   ff_device_versions4    ffda_versions&lt;&gt;  { uint32 version, minorversion, rsize, wsize; bool tightly_coupled }
 * </pre>
 *
 * <p>Immutable. Two are equal if they have the same addresses in the same order.
 */
public final class DataServer {
    /** Addresses of one data server: one or two for each of its networks. */
    public static final int MAX_ADDRESSES = 8;

    private static final int VERSION = 3;

    private final List<DataServerAddress> addresses;
    /** Made once: a client's report of errors asks for it as often as the client likes. */
    private final DeviceId id;

    /**
     * @param addresses in the order in which clients should try them
     * @throws IllegalArgumentException if there are none, or more than {@link #MAX_ADDRESSES}
     */
    public DataServer(List<DataServerAddress> addresses) {
        if (addresses.isEmpty() || addresses.size() > MAX_ADDRESSES) {
            throw new IllegalArgumentException(
                    "a data server has " + addresses.size() + " addresses, not 1 to " + MAX_ADDRESSES);
        }
        this.addresses = List.copyOf(addresses);
        this.id = idOf(this.addresses);
    }

    /** At least one, in the order in which clients should try them. */
    public List<DataServerAddress> addresses() {
        return addresses;
    }

    /** Its id, which is made of its addresses. A client may keep what it knows of a device for ever. */
    public DeviceId id() {
        return id;
    }

    /** Its first address, for people. */
    public String name() {
        return addresses.getFirst().text();
    }

    private static DeviceId idOf(List<DataServerAddress> addresses) {
        String text = addresses.stream()
                .map(each -> each.netid() + " " + each.universal())
                .collect(Collectors.joining("\n"));
        ByteBuffer hash = ByteBuffer.wrap(
                Hashing.sha256().hashString(text, StandardCharsets.US_ASCII).asBytes());
        return new DeviceId(hash.getLong(), hash.getLong());
    }

    /**
     * Encodes da_addr_body.
     *
     * @param maxIoBytes the most that one READ or WRITE may move
     */
    public void encode(int maxIoBytes, CompoundWriter out) {
        out.int32(addresses.size());
        addresses.forEach(address -> address.encode(out));
        out.int32(1);
        out.int32(VERSION);
        out.int32(0);
        out.int32(maxIoBytes);
        out.int32(maxIoBytes);
        // Loosely coupled: a data server knows nothing of layouts.
        out.bool(false);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DataServer server && addresses.equals(server.addresses);
    }

    @Override
    public int hashCode() {
        return addresses.hashCode();
    }

    @Override
    public String toString() {
        return "DataServer" + addresses;
    }
}
