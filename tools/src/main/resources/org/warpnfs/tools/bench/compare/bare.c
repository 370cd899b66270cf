/*
 * Measures the cost of a file server's work without a file server. Each side of one loopback connection runs one loop
 * of system calls, with the frames that warpnfs sends over RDMA.
 *
 *   bare pread|mmap|splice|pwrite FILE FILE_BYTES SIZE DEPTH WARMUP_MS MEASURE_MS random|ordered
 *
 * The child is the server. A request is 192 bytes and begins with the offset in the file. A read is answered by FPDUs
 * (RFC 5044) of tagged segments (RFC 5041) with up to 65516 bytes of payload; a write sends such FPDUs after its
 * request and is answered by 192 bytes. The CRC field is present but not computed, as with CRCs off.
 *
 * The parent is the client. It keeps DEPTH requests in flight, copies the payload to its destination, as a software
 * RNIC must, and measures latency. It fills the file first. It checks that each read begins with the data at that
 * offset. At the end it checks that the file holds what was written.
 *
 * It prints lines, each with a name and a number. The exit status is 0, or 1 with a line on standard error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
	MESSAGE = 192, PAGE = 4096, SEGMENT = 65516, HEADER = 16, TRAILER = 4, TAGGED = 14,
	MAX_DEPTH = 128, MAX_SIZE = 1 << 20, MAX_FRAMES = MAX_SIZE / SEGMENT + 1, RECEIVE = 256 << 10
};

static int file;
static size_t file_bytes, size;
static const char *mode;

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "wrong");
	exit(1);
}

static void *memory(size_t bytes)
{
	void *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (got == MAP_FAILED)
		die("mmap");
	return got;
}

static uint64_t nanos(clockid_t clock)
{
	struct timespec t;
	if (clock_gettime(clock, &t))
		die("clock_gettime");
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Sends everything. The count is that of iovecs and must be below 1024. The iovecs are changed. */
static void send_vector(int to, struct iovec *v, int count)
{
	while (count > 0) {
		ssize_t sent = writev(to, v, count);
		if (sent < 0)
			die("writev");
		while (count > 0 && (size_t)sent >= v->iov_len) {
			sent -= v->iov_len;
			v++;
			count--;
		}
		if (count > 0) {
			v->iov_base = (char *)v->iov_base + sent;
			v->iov_len -= sent;
		}
	}
}

static void send_all(int to, const void *from, size_t bytes, int flags)
{
	while (bytes > 0) {
		ssize_t sent = send(to, from, bytes, flags);
		if (sent < 0)
			die("send");
		from = (const char *)from + sent;
		bytes -= sent;
	}
}

/* One iovec for each header, payload and trailer. */
struct frames {
	unsigned char header[MAX_FRAMES][HEADER];
	unsigned char trailer[TRAILER];
	struct iovec vector[1 + 3 * MAX_FRAMES];
};

static size_t frame(struct frames *f, int number, size_t at)
{
	size_t payload = size - at < SEGMENT ? size - at : SEGMENT;
	unsigned char *h = f->header[number];
	h[0] = (payload + TAGGED) >> 8;
	h[1] = (payload + TAGGED) & 0xff;
	h[2] = at + payload == size ? 0xc1 : 0x81;
	h[3] = 0x40;
	memcpy(h + 8, &at, sizeof at);
	return payload;
}

static int vector_of(struct frames *f, struct iovec *v, char *data)
{
	int count = 0, number = 0;
	for (size_t at = 0; at < size; number++) {
		size_t payload = frame(f, number, at);
		v[count++] = (struct iovec){f->header[number], HEADER};
		v[count++] = (struct iovec){data + at, payload};
		v[count++] = (struct iovec){f->trailer, TRAILER};
		at += payload;
	}
	return count;
}

static int receive_all(int from, void *into, size_t bytes)
{
	ssize_t got = recv(from, into, bytes, MSG_WAITALL);
	if (got < 0)
		die("recv");
	return (size_t)got == bytes;
}

/* The server */

static void answer_pread(int socket, off_t offset, struct frames *f, char *buffer)
{
	if (pread(file, buffer, size, offset) != (ssize_t)size)
		die("pread");
	send_vector(socket, f->vector, vector_of(f, f->vector, buffer));
}

static void answer_mmap(int socket, off_t offset, struct frames *f, char *mapped)
{
	send_vector(socket, f->vector, vector_of(f, f->vector, mapped + offset));
}

static void answer_splice(int socket, off_t offset, struct frames *f, int *pipes)
{
	/* Whole pages, and no more than the pipe holds, so that this does not block. */
	for (size_t in = 0; in < size;) {
		ssize_t got = splice(file, &offset, pipes[1], NULL, size - in, SPLICE_F_MOVE);
		if (got <= 0)
			die("splice from the file");
		in += got;
	}
	char between[TRAILER + HEADER] = {0};
	int number = 0;
	for (size_t at = 0; at < size; number++) {
		size_t payload = frame(f, number, at);
		memcpy(between + TRAILER, f->header[number], HEADER);
		if (number == 0)
			send_all(socket, between + TRAILER, HEADER, MSG_MORE);
		else
			send_all(socket, between, sizeof between, MSG_MORE);
		for (size_t out = 0; out < payload;) {
			ssize_t sent = splice(pipes[0], NULL, socket, NULL, payload - out, SPLICE_F_MOVE | SPLICE_F_MORE);
			if (sent <= 0)
				die("splice to the socket");
			out += sent;
		}
		at += payload;
	}
	send_all(socket, between, TRAILER, 0);
}

static void serve_reads(int socket)
{
	static struct frames f;
	char *buffer = memory(MAX_SIZE), *mapped = NULL, request[MESSAGE];
	int pipes[2] = {-1, -1};
	if (!strcmp(mode, "mmap")) {
		mapped = mmap(NULL, file_bytes, PROT_READ, MAP_SHARED, file, 0);
		if (mapped == MAP_FAILED)
			die("mmap of the file");
	}
	if (!strcmp(mode, "splice") && (pipe(pipes) || fcntl(pipes[1], F_SETPIPE_SZ, MAX_SIZE) < MAX_SIZE))
		die("a pipe of 1 MiB");
	while (receive_all(socket, request, sizeof request)) {
		uint64_t offset;
		memcpy(&offset, request, sizeof offset);
		if (mapped)
			answer_mmap(socket, offset, &f, mapped);
		else if (pipes[0] >= 0)
			answer_splice(socket, offset, &f, pipes);
		else
			answer_pread(socket, offset, &f, buffer);
	}
}

static void serve_writes(int socket)
{
	char *buffer = memory(SEGMENT + PAGE), message[MESSAGE], ends[HEADER + TRAILER];
	while (receive_all(socket, message, sizeof message)) {
		uint64_t offset;
		memcpy(&offset, message, sizeof offset);
		for (size_t at = 0; at < size;) {
			size_t payload = size - at < SEGMENT ? size - at : SEGMENT;
			struct iovec v[3] = {{ends, HEADER}, {buffer, payload}, {ends + HEADER, TRAILER}};
			struct msghdr m = {.msg_iov = v, .msg_iovlen = 3};
			if (recvmsg(socket, &m, MSG_WAITALL) != (ssize_t)(HEADER + payload + TRAILER))
				die("recvmsg");
			if (pwrite(file, buffer, payload, offset + at) != (ssize_t)payload)
				die("pwrite");
			at += payload;
		}
		send_all(socket, message, sizeof message, 0);
	}
}

/* The client */

/* A histogram of latencies: 128 steps for each power of two, so values are exact to 1 percent. */
static uint64_t counts[64 * 128], operations;

static int bucket(uint64_t t)
{
	int power = t < 128 ? 0 : 56 - __builtin_clzll(t);
	return power * 128 + (int)(t >> power);
}

static uint64_t percentile(double part)
{
	uint64_t seen = 0, wanted = (uint64_t)(part * operations);
	for (int i = 0; i < 64 * 128; i++) {
		seen += counts[i];
		if (seen > wanted) {
			int power = i < 256 ? 0 : i / 128 - 1;
			return (uint64_t)(i - power * 128) << power;
		}
	}
	return 0;
}

struct client {
	int socket, depth, random, writes;
	uint64_t next, draw, sent, answered;
	uint64_t offsets[MAX_DEPTH], started[MAX_DEPTH];
	char *sinks[MAX_DEPTH];
};

static void ask(struct client *c)
{
	static struct frames f;
	static char request[MESSAGE];
	int slot = c->sent++ % c->depth;
	uint64_t blocks = file_bytes / size, block = c->next++ % blocks;
	if (c->random) {
		c->draw ^= c->draw << 13;
		c->draw ^= c->draw >> 7;
		c->draw ^= c->draw << 17;
		block = c->draw % blocks;
	}
	uint64_t offset = c->offsets[slot] = block * size;
	c->started[slot] = nanos(CLOCK_MONOTONIC);
	memcpy(request, &offset, sizeof offset);
	if (!c->writes) {
		send_all(c->socket, request, sizeof request, 0);
		return;
	}
	memcpy(c->sinks[slot], &offset, sizeof offset);
	f.vector[0] = (struct iovec){request, sizeof request};
	send_vector(c->socket, f.vector, 1 + vector_of(&f, f.vector + 1, c->sinks[slot]));
}

static void answered(struct client *c)
{
	int slot = c->answered++ % c->depth;
	counts[bucket(nanos(CLOCK_MONOTONIC) - c->started[slot])]++;
	operations++;
	if (!c->writes && memcmp(c->sinks[slot], &c->offsets[slot], sizeof(uint64_t))) {
		errno = 0;
		die("what was read");
	}
}

/* Receives the available bytes of replies. Returns how many replies became complete. */
static int receive(struct client *c, char *buffer)
{
	static unsigned char header[HEADER];
	static size_t have, payload, at, trailer, message;
	ssize_t got = recv(c->socket, buffer, RECEIVE, 0);
	int whole = 0;
	if (got <= 0)
		die("the server has gone");
	for (size_t left = got; left > 0;) {
		char *p = buffer + got - left;
		if (c->writes) {
			size_t step = left < MESSAGE - message ? left : MESSAGE - message;
			left -= step;
			message = (message + step) % MESSAGE;
			if (message == 0) {
				answered(c);
				whole++;
			}
		} else if (payload > 0) {
			size_t step = left < payload ? left : payload;
			memcpy(c->sinks[c->answered % c->depth] + at, p, step);
			left -= step;
			payload -= step;
			at += step;
		} else if (trailer > 0) {
			size_t step = left < trailer ? left : trailer;
			left -= step;
			trailer -= step;
			if (trailer == 0 && at == size) {
				at = 0;
				answered(c);
				whole++;
			}
		} else {
			size_t step = left < HEADER - have ? left : HEADER - have;
			memcpy(header + have, p, step);
			left -= step;
			have += step;
			if (have == HEADER) {
				have = 0;
				payload = (header[0] << 8 | header[1]) - TAGGED;
				trailer = TRAILER;
			}
		}
	}
	return whole;
}

static void fill(void)
{
	char *page = memory(PAGE);
	for (uint64_t at = 0; at < file_bytes; at += PAGE) {
		/* Before a measurement of writes, the file must not hold the right data yet. */
		uint64_t mark = strcmp(mode, "pwrite") ? at : ~at;
		memcpy(page, &mark, sizeof mark);
		if (pwrite(file, page, PAGE, at) != PAGE)
			die("the file cannot be filled");
	}
}

static void check_written(void)
{
	uint64_t mark, blocks = 0;
	for (uint64_t at = 0; at < file_bytes; at += size) {
		if (pread(file, &mark, sizeof mark, at) != sizeof mark)
			die("the file cannot be read");
		blocks += mark == at;
	}
	errno = 0;
	if (blocks == 0)
		die("what was written");
}

static void measure(struct client *c, pid_t server, uint64_t warm_up, uint64_t duration)
{
	char *buffer = memory(RECEIVE);
	clockid_t clock;
	if (clock_getcpuclockid(server, &clock))
		die("the server's CPU time");
	for (int i = 0; i < c->depth; i++)
		ask(c);
	uint64_t begin = nanos(CLOCK_MONOTONIC), cpu = 0, own = 0, now = begin;
	for (int measuring = 0;; now = nanos(CLOCK_MONOTONIC)) {
		if (!measuring && now - begin >= warm_up) {
			measuring = 1;
			memset(counts, 0, sizeof counts);
			operations = 0;
			begin = nanos(CLOCK_MONOTONIC);
			cpu = nanos(clock);
			own = nanos(CLOCK_PROCESS_CPUTIME_ID);
		} else if (measuring && now - begin >= duration) {
			break;
		}
		for (int whole = receive(c, buffer); whole > 0; whole--)
			ask(c);
	}
	cpu = nanos(clock) - cpu;
	own = nanos(CLOCK_PROCESS_CPUTIME_ID) - own;
	uint64_t took = nanos(CLOCK_MONOTONIC) - begin;
	printf("operations %lu\nnanos %lu\nserver_cpu_nanos %lu\nclient_cpu_nanos %lu\n", operations, took, cpu, own);
	printf("p50_nanos %lu\np99_nanos %lu\np999_nanos %lu\n", percentile(0.5), percentile(0.99), percentile(0.999));
	while (c->answered < c->sent)
		receive(c, buffer);
}

/* For a listener, whose connection inherits it, and a client. A connection that began with bbr stays paced. */
static void tune(int socket)
{
	int one = 1;
	setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
}

int main(int arguments, char **argument)
{
	if (arguments != 9)
		die("usage: bare MODE FILE FILE_BYTES SIZE DEPTH WARMUP_MS MEASURE_MS random|ordered");
	mode = argument[1];
	file_bytes = strtoul(argument[3], NULL, 10);
	size = strtoul(argument[4], NULL, 10);
	static struct client c;
	c.depth = atoi(argument[5]);
	uint64_t warm_up = strtoul(argument[6], NULL, 10), duration = strtoul(argument[7], NULL, 10);
	c.random = !strcmp(argument[8], "random");
	c.writes = !strcmp(mode, "pwrite");
	c.draw = 88172645463325252u;
	if (size < PAGE || size > MAX_SIZE || size % PAGE || file_bytes < size || c.depth < 1 || c.depth > MAX_DEPTH)
		die("size, file or depth");
	/* The process ends even if a loop hangs. */
	alarm((warm_up + duration) / 1000 + 60);
	file = open(argument[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0)
		die(argument[2]);
	unlink(argument[2]);
	fill();
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	if (listening >= 0)
		tune(listening);
	if (listening < 0 || bind(listening, (struct sockaddr *)&address, length) || listen(listening, 1)
			|| getsockname(listening, (struct sockaddr *)&address, &length))
		die("listen");
	pid_t parent = getpid(), server = fork();
	if (server < 0)
		die("fork");
	if (server == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			die("prctl");
		int socket = accept(listening, NULL, NULL);
		if (socket < 0)
			die("accept");
		if (c.writes)
			serve_writes(socket);
		else
			serve_reads(socket);
		return 0;
	}
	c.socket = socket(AF_INET, SOCK_STREAM, 0);
	if (c.socket < 0)
		die("socket");
	tune(c.socket);
	if (connect(c.socket, (struct sockaddr *)&address, length))
		die("connect");
	for (int i = 0; i < c.depth; i++)
		c.sinks[i] = memory(size);
	measure(&c, server, warm_up * 1000000, duration * 1000000);
	if (c.writes)
		check_written();
	return 0;
}
