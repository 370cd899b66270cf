/*
 * cm connect ADDRESS PORT: connects by rdma_cm and prints "established", or "rejected: STATUS: PRIVATE DATA".
 * cm reject ADDRESS PORT TEXT COUNT: refuses COUNT connections with TEXT as private data. Prints "listening" first.
 * cm pings ADDRESS PORT COUNT: the server of rping for COUNT connections, all of which must exist before the first one
 *     ends.
 *
 * It does what no tool of rdmacm-utils does. These tools do not refuse connections, and do not print the private data
 * of a refusal. Of the tools that serve many connections, ucmatose cannot create completion queues for 64 of them, and
 * rping -s -P confuses its clients. The status is 1 if anything else happens.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESOLVE_MILLIS = 5000, PING_BYTES = 4096, MAX_PINGERS = 256, WORK = 4 };

static const char usage[] = "usage: cm connect ADDRESS PORT | cm reject ADDRESS PORT TEXT COUNT | cm pings ADDRESS PORT COUNT\n";
static struct rdma_event_channel *channel;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Returns the next event, which must be of that type (-1 for any type). */
static struct rdma_cm_event *next(int type)
{
    struct rdma_cm_event *event;
    if (rdma_get_cm_event(channel, &event))
        die("no event");
    if (type >= 0 && (int)event->event != type) {
        printf("%s instead of %s\n", rdma_event_str(event->event), rdma_event_str((enum rdma_cm_event_type)type));
        exit(1);
    }
    return event;
}

static void make_queue_pair(struct rdma_cm_id *id)
{
    struct ibv_qp_init_attr attributes = {
        .cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
    };
    if (rdma_create_qp(id, NULL, &attributes))
        die("no queue pair");
}

static int connect_to(struct sockaddr_in *address)
{
    struct rdma_cm_id *id;
    struct rdma_conn_param parameters = {.responder_resources = 1, .initiator_depth = 1, .retry_count = 7};
    if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
        die("no id");
    if (rdma_resolve_addr(id, NULL, (struct sockaddr *)address, RESOLVE_MILLIS))
        die("no address");
    rdma_ack_cm_event(next(RDMA_CM_EVENT_ADDR_RESOLVED));
    if (rdma_resolve_route(id, RESOLVE_MILLIS))
        die("no route");
    rdma_ack_cm_event(next(RDMA_CM_EVENT_ROUTE_RESOLVED));
    make_queue_pair(id);
    if (rdma_connect(id, &parameters))
        die("no connect");
    struct rdma_cm_event *event = next(-1);
    switch (event->event) {
    case RDMA_CM_EVENT_ESTABLISHED:
        puts("established");
        rdma_disconnect(id);
        return 0;
    case RDMA_CM_EVENT_REJECTED:
        printf("rejected: %d: %.*s\n", event->status, event->param.conn.private_data_len,
               event->param.conn.private_data ? (const char *)event->param.conn.private_data : "");
        return 0;
    default:
        printf("%s: %d\n", rdma_event_str(event->event), event->status);
        return 1;
    }
}

static int reject(struct sockaddr_in *address, const char *text, int count)
{
    struct rdma_cm_id *listener;
    if (rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP))
        die("no id");
    if (rdma_bind_addr(listener, (struct sockaddr *)address) || rdma_listen(listener, 8))
        die("cannot listen");
    puts("listening");
    fflush(stdout);
    for (int i = 0; i < count; i++) {
        struct rdma_cm_event *event = next(RDMA_CM_EVENT_CONNECT_REQUEST);
        struct rdma_cm_id *id = event->id;
        if (rdma_reject(id, text, (uint8_t)strlen(text)))
            die("cannot reject");
        rdma_ack_cm_event(event);
        rdma_destroy_id(id);
    }
    puts("rejected");
    return 0;
}

/* The message between the ends of rping: the memory to read or write, big-endian. */
struct advertisement {
    uint64_t address;
    uint32_t rkey;
    uint32_t length;
};

/* The server reads a text by an RDMA Read and returns it by an RDMA Write. After each it sends the client a message. */
struct pinger {
    struct rdma_cm_id *id;
    struct advertisement told, answer;
    int texts;
    char text[PING_BYTES];
};

static struct pinger *pingers;
static struct ibv_pd *domain;
static struct ibv_cq *completions;
static struct ibv_comp_channel *completion_channel;
static struct ibv_mr *memory;

static void receive(struct pinger *pinger)
{
    if (rdma_post_recv(pinger->id, pinger, &pinger->told, sizeof pinger->told, memory))
        die("no receive");
}

static void answer(struct pinger *pinger)
{
    if (rdma_post_send(pinger->id, pinger, &pinger->answer, sizeof pinger->answer, memory, IBV_SEND_SIGNALED))
        die("no send");
}

static void completed(struct ibv_wc *work)
{
    struct pinger *pinger = (struct pinger *)(uintptr_t)work->wr_id;
    uint32_t length = be32toh(pinger->told.length), rkey = be32toh(pinger->told.rkey);
    uint64_t address = be64toh(pinger->told.address);
    int failed = 0;
    if (work->status == IBV_WC_WR_FLUSH_ERR)
        return;
    if (work->status != IBV_WC_SUCCESS || length > PING_BYTES) {
        printf("%s, length %u\n", ibv_wc_status_str(work->status), length);
        exit(1);
    }
    switch (work->opcode) {
    case IBV_WC_RECV:
        if (pinger->texts++ % 2 == 0)
            failed = rdma_post_read(pinger->id, pinger, pinger->text, length, memory, IBV_SEND_SIGNALED, address, rkey);
        else
            failed = rdma_post_write(pinger->id, pinger, pinger->text, length, memory, IBV_SEND_SIGNALED, address, rkey);
        break;
    case IBV_WC_RDMA_READ:
    case IBV_WC_RDMA_WRITE:
        receive(pinger);
        answer(pinger);
        break;
    default:
        break;
    }
    if (failed)
        die("no read or write");
}

static void drain(void)
{
    struct ibv_wc work;
    struct ibv_cq *which;
    void *context;
    if (ibv_get_cq_event(completion_channel, &which, &context))
        die("no completion event");
    ibv_ack_cq_events(which, 1);
    if (ibv_req_notify_cq(which, 0))
        die("cannot arm");
    while (ibv_poll_cq(completions, 1, &work) > 0)
        completed(&work);
}

static void accept_pinger(struct pinger *pinger, struct rdma_cm_id *id, int count)
{
    struct rdma_conn_param parameters = {.responder_resources = 1, .initiator_depth = 1};
    struct ibv_qp_init_attr attributes = {
        .cap = {.max_send_wr = WORK, .max_recv_wr = WORK, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
    };
    if (!domain) {
        domain = ibv_alloc_pd(id->verbs);
        completion_channel = ibv_create_comp_channel(id->verbs);
        completions = ibv_create_cq(id->verbs, 2 * WORK * count, NULL, completion_channel, 0);
        memory = domain ? ibv_reg_mr(domain, pingers, count * sizeof *pingers, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) : NULL;
        if (!memory || !completions || ibv_req_notify_cq(completions, 0))
            die("no memory or completion queue");
    }
    attributes.send_cq = attributes.recv_cq = completions;
    pinger->id = id;
    if (rdma_create_qp(id, domain, &attributes))
        die("no queue pair");
    receive(pinger);
    if (rdma_accept(id, &parameters))
        die("cannot accept");
}

static int serve_pings(struct sockaddr_in *address, int count)
{
    struct rdma_cm_id *listener;
    struct pollfd waiting[2] = {{.fd = channel->fd, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
    int requested = 0, ended = 0, texts = 0;
    pingers = calloc(count, sizeof *pingers);
    if (!pingers || rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP))
        die("no id");
    if (rdma_bind_addr(listener, (struct sockaddr *)address) || rdma_listen(listener, count))
        die("cannot listen");
    while (ended < count) {
        if (poll(waiting, 2, -1) < 0)
            die("poll");
        if (waiting[1].revents)
            drain();
        if (!waiting[0].revents)
            continue;
        struct rdma_cm_event *event = next(-1);
        if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST && requested < count && !ended) {
            accept_pinger(&pingers[requested++], event->id, count);
            waiting[1].fd = completion_channel->fd;
        } else if (event->event == RDMA_CM_EVENT_DISCONNECTED && requested == count) {
            ended++;
        } else if (event->event != RDMA_CM_EVENT_ESTABLISHED) {
            printf("%s, status %d, after %d connections and %d ends\n", rdma_event_str(event->event), event->status, requested, ended);
            return 1;
        }
        rdma_ack_cm_event(event);
    }
    for (int i = 0; i < count; i++)
        texts += pingers[i].texts / 2;
    printf("%d connections at once, %d pings\n", count, texts);
    return 0;
}

int main(int count, char **words)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    if (count < 4 || inet_pton(AF_INET, words[2], &address.sin_addr) != 1) {
        fputs(usage, stderr);
        return 2;
    }
    address.sin_port = htons((uint16_t)atoi(words[3]));
    channel = rdma_create_event_channel();
    if (!channel)
        die("no event channel: is rdma_ucm loaded?");
    if (count == 4 && !strcmp(words[1], "connect"))
        return connect_to(&address);
    if (count == 6 && !strcmp(words[1], "reject"))
        return reject(&address, words[4], atoi(words[5]));
    if (count == 5 && !strcmp(words[1], "pings") && atoi(words[4]) > 0 && atoi(words[4]) <= MAX_PINGERS)
        return serve_pings(&address, atoi(words[4]));
    fputs(usage, stderr);
    return 2;
}
