/*
 * recut FROM TO [any]: copies a capture so that each FPDU on the RDMA connections begins a TCP segment of its own. RDMA
 * connections are those of TCP port 20049, or with "any" all TCP connections.
 *
 * Why: if a reassembled FPDU ends less than eight bytes before the end of a segment, tshark's MPA dissector does not
 * recognize the following bytes as the head of the next FPDU. From there on it dissects the stream at wrong boundaries,
 * and file data appear as Terminates. TCP may cut a stream of FPDUs anywhere, so every long capture is likely to have
 * such a place.
 *
 * What: the bytes of each direction stay the same, in the same order. Only the segment boundaries change. The program
 * knows the startup frame of MPA (20 bytes and the private data) and the length field of an FPDU, but not the content
 * of an FPDU. So it does not hide a wrong length: tshark sees the wrong boundaries too. Retransmitted data appear once.
 * The program ends with status 1 if bytes are missing from the capture, or if the file ends within a frame. Segments
 * without data are left out. Acknowledgements cover only data that were copied already. All other frames are copied
 * unchanged. So frame numbers differ from those of the original, but time stamps and sequence numbers are right.
 *
 * If a client's port was used by an earlier connection, it is replaced by one below 32768. rdma_cm chooses ports at
 * random and may choose one that was just used. tshark would then take the new connection's startup frame for an FPDU
 * of the old connection.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_HEADER_BYTES = 24,
    RECORD_HEADER_BYTES = 16,
    MAX_FRAME_BYTES = 1 << 18,
    ETHERNET_BYTES = 14,
    MAX_SEGMENT_BYTES = 60000, /* an FPDU may be longer than an IP packet */
    RDMA_PORT = 20049,
    MAX_STREAMS = 1024,
    MPA_STARTUP_BYTES = 20,
    FIRST_ALIAS = 30001,
    LAST_ALIAS = 32767, /* Linux chooses ports from 32768 on */
};

/*
 * One direction of a connection. The held bytes begin at the sequence number "first". Earlier bytes have been written.
 */
struct stream {
    unsigned char key[12]; /* both addresses and both ports */
    int open, started, used;
    unsigned alias, peer_alias; /* if not 0, ports to write instead of ours and the peer's */
    uint32_t first;
    unsigned char *held;
    size_t held_bytes, room_bytes;
};

static struct stream streams[MAX_STREAMS];
static int stream_count;
static FILE *to;
static int missing;
static int any_port;
static unsigned next_alias = FIRST_ALIAS;

static void die(const char *why)
{
    fprintf(stderr, "recut: %s\n", why);
    exit(1);
}

static unsigned get16(const unsigned char *at) { return (unsigned)at[0] << 8 | at[1]; }
static uint32_t get32(const unsigned char *at) { return (uint32_t)get16(at) << 16 | get16(at + 2); }

static void put16(unsigned char *at, unsigned value)
{
    at[0] = (unsigned char)(value >> 8);
    at[1] = (unsigned char)value;
}

static void put32(unsigned char *at, uint32_t value)
{
    put16(at, value >> 16);
    put16(at + 2, value & 0xFFFF);
}

/* Finds the stream of a frame, or the stream in the other direction. */
static struct stream *stream_of(const unsigned char *ip, const unsigned char *tcp, int other)
{
    unsigned char key[12];
    memcpy(key, ip + (other ? 16 : 12), 4);
    memcpy(key + 4, ip + (other ? 12 : 16), 4);
    memcpy(key + 8, tcp + (other ? 2 : 0), 2);
    memcpy(key + 10, tcp + (other ? 0 : 2), 2);
    for (int i = stream_count - 1; i >= 0; i--) /* the newest first, because a reconnect may reuse a port */
        if (!memcmp(streams[i].key, key, sizeof key))
            return &streams[i];
    if (stream_count == MAX_STREAMS)
        die("too many connections");
    memcpy(streams[stream_count].key, key, sizeof key);
    return &streams[stream_count++];
}

static void write_frame(const unsigned char *record, const unsigned char *frame, size_t frame_bytes)
{
    unsigned char header[RECORD_HEADER_BYTES];
    uint32_t length = (uint32_t)frame_bytes;
    memcpy(header, record, 8); /* the time stamp; lengths have this host's byte order, as from tcpdump */
    memcpy(header + 8, &length, 4);
    memcpy(header + 12, &length, 4);
    if (fwrite(header, sizeof header, 1, to) != 1 || fwrite(frame, frame_bytes, 1, to) != 1)
        die("cannot write");
}

/* Writes the first COUNT bytes that the stream holds, in segments with the headers of FRAME. */
static void emit(struct stream *stream, size_t count, const unsigned char *record, const unsigned char *frame, size_t headers_bytes)
{
    static unsigned char out[ETHERNET_BYTES + 65535];
    size_t done = 0;
    while (done < count) {
        size_t piece = count - done < MAX_SEGMENT_BYTES ? count - done : MAX_SEGMENT_BYTES;
        unsigned char *ip = out + ETHERNET_BYTES;
        memcpy(out, frame, headers_bytes);
        memcpy(out + headers_bytes, stream->held + done, piece);
        put16(ip + 2, (unsigned)(headers_bytes - ETHERNET_BYTES + piece));
        put32(ip + (ip[0] & 15) * 4 + 4, stream->first + (uint32_t)done);
        write_frame(record, out, headers_bytes + piece);
        done += piece;
    }
    stream->first += (uint32_t)count;
    stream->held_bytes -= count;
    memmove(stream->held, stream->held + count, stream->held_bytes);
}

/* Returns the length of the unit at the start of the held bytes, or 0 if it is not known yet. */
static size_t unit_bytes(const struct stream *stream)
{
    const unsigned char *at = stream->held;
    if (!stream->started)
        return stream->held_bytes < MPA_STARTUP_BYTES ? 0 : MPA_STARTUP_BYTES + get16(at + 18);
    if (stream->held_bytes < 2)
        return 0;
    size_t length_bytes = 2 + get16(at);
    return length_bytes + ((0 - length_bytes) & 3) + 4; /* pad, CRC */
}

/* Reports an incomplete message at the end of a connection. There is none unless the peer was killed. */
static void tell_of_rest(const struct stream *stream)
{
    if (stream->open && stream->held_bytes)
        fprintf(stderr, "recut: %zu bytes at the end of a connection make no FPDU\n", stream->held_bytes);
}

static void hold(struct stream *stream, const unsigned char *from, size_t count)
{
    if (stream->held_bytes + count > stream->room_bytes) {
        stream->room_bytes = 2 * (stream->held_bytes + count);
        stream->held = realloc(stream->held, stream->room_bytes);
        if (!stream->held)
            die("no memory");
    }
    memcpy(stream->held + stream->held_bytes, from, count);
    stream->held_bytes += count;
}

static unsigned new_alias(void)
{
    if (next_alias > LAST_ALIAS)
        die("too many ports come again");
    return next_alias++;
}

/* Returns whether the frame was handled. Otherwise the caller copies it unchanged. */
static int take(const unsigned char *record, unsigned char *frame, size_t frame_bytes)
{
    unsigned char *ip = frame + ETHERNET_BYTES;
    if (frame_bytes < ETHERNET_BYTES + 40 || get16(frame + 12) != 0x0800 || ip[0] >> 4 != 4 || ip[9] != 6)
        return 0;
    unsigned char *tcp = ip + (ip[0] & 15) * 4;
    size_t headers_bytes = (size_t)(tcp - frame) + (tcp[12] >> 4) * 4, end = ETHERNET_BYTES + get16(ip + 2);
    if ((!any_port && get16(tcp) != RDMA_PORT && get16(tcp + 2) != RDMA_PORT) || end > frame_bytes || headers_bytes > end)
        return 0;
    struct stream *peer = stream_of(ip, tcp, 1), *stream = stream_of(ip, tcp, 0);
    /* acknowledged data may still be held here, and would look like a retransmission */
    if (peer->open && (int32_t)(get32(tcp + 8) - peer->first) > 0)
        put32(tcp + 8, peer->first);
    if ((tcp[13] & 0x12) == 2) { /* SYN without ACK: the sender is the client */
        if (stream->used && (stream->started || !stream->open))
            stream->alias = peer->peer_alias = new_alias();
        stream->used = 1;
    }
    if (stream->alias)
        put16(tcp, stream->alias);
    if (stream->peer_alias)
        put16(tcp + 2, stream->peer_alias);
    int syn = tcp[13] & 2, last = tcp[13] & 5; /* FIN or RST */
    uint32_t sequence = get32(tcp + 4);
    if (syn) {
        stream->open = 1;
        stream->started = 0;
        stream->held_bytes = 0;
        stream->first = sequence + 1;
    }
    if (!stream->open)
        return 0;
    size_t count = end - headers_bytes;
    int32_t behind = (int32_t)(stream->first + (uint32_t)stream->held_bytes - sequence);
    if (count && behind < 0 && !missing++)
        fprintf(stderr, "recut: the capture misses %d bytes of a stream\n", -behind);
    if (count && behind >= 0 && (size_t)behind < count)
        hold(stream, frame + headers_bytes + behind, count - (size_t)behind);
    size_t unit;
    while ((unit = unit_bytes(stream)) && unit <= stream->held_bytes) {
        emit(stream, unit, record, frame, headers_bytes);
        stream->started = 1;
    }
    if (last) {
        tell_of_rest(stream);
        emit(stream, stream->held_bytes, record, frame, headers_bytes); /* what a killed peer left incomplete */
        stream->open = 0;
        return count > 0 && !(tcp[13] & 4);
    }
    return !syn; /* a segment without data would have a sequence number ahead of the copied data */
}

int main(int count, char **words)
{
    static unsigned char frame[MAX_FRAME_BYTES];
    unsigned char header[FILE_HEADER_BYTES], record[RECORD_HEADER_BYTES];
    size_t got;
    any_port = count == 4 && !strcmp(words[3], "any");
    if (count != 3 + any_port)
        die("usage: recut FROM TO [any]");
    FILE *from = fopen(words[1], "rb");
    to = fopen(words[2], "wb");
    if (!from || !to || fread(header, sizeof header, 1, from) != 1)
        die("cannot open the files");
    uint32_t magic;
    memcpy(&magic, header, 4);
    if (magic != 0xA1B2C3D4 && magic != 0xA1B23C4D)
        die("not a pcap of this host's byte order");
    uint32_t snap = MAX_FRAME_BYTES; /* frames can become longer */
    memcpy(header + 16, &snap, 4);
    if (fwrite(header, sizeof header, 1, to) != 1)
        die("cannot write");
    while ((got = fread(record, 1, sizeof record, from)) == sizeof record) {
        uint32_t captured, length;
        memcpy(&captured, record + 8, 4);
        memcpy(&length, record + 12, 4);
        if (captured > sizeof frame || fread(frame, 1, captured, from) != captured)
            die("the capture is cut short in the middle of a packet");
        if (captured < length)
            die("frames were cut by the snap length");
        if (!take(record, frame, captured))
            write_frame(record, frame, captured);
    }
    if (got)
        die("the capture is cut short in the middle of a packet");
    for (int i = 0; i < stream_count; i++)
        tell_of_rest(&streams[i]);
    if (fclose(to))
        die("cannot write");
    return missing ? 1 : 0;
}
