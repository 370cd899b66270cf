/*
 * cm connect ADDRESS PORT: connects by rdma_cm and prints how that went: "established" or "rejected: STATUS: PRIVATE DATA".
 * cm reject ADDRESS PORT TEXT COUNT: refuses COUNT connections with TEXT as private data. Prints "listening" first.
 *
 * For what no tool of rdmacm-utils does: they neither refuse a connection nor tell with what words theirs was.
 * Status 1 if anything else happens.
 */
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESOLVE_MILLIS = 5000 };

static struct rdma_event_channel *channel;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* The next event, which has to be of that type unless any will do (-1) */
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

int main(int count, char **words)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    if (count < 4 || inet_pton(AF_INET, words[2], &address.sin_addr) != 1) {
        fprintf(stderr, "usage: cm connect ADDRESS PORT | cm reject ADDRESS PORT TEXT COUNT\n");
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
    fprintf(stderr, "usage: cm connect ADDRESS PORT | cm reject ADDRESS PORT TEXT COUNT\n");
    return 2;
}
