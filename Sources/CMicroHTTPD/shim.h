// CMicroHTTPD for Swift: the header, and inline functions for what Swift cannot see (variadics).
#pragma once
#include <microhttpd.h>

// What a daemon is started with; the sizes and limits are those of the options of the same names.
struct stele_mhd_settings {
    unsigned int threads;
    unsigned int connection_limit;
    unsigned int idle_timeout;
    size_t connection_memory;
    size_t thread_stack;
    // NULL for connections without TLS. GnuTLS's type for it is not imported here.
    void *certificate;
};

static inline struct MHD_Daemon *stele_mhd_start(
    const struct stele_mhd_settings *settings, MHD_AccessHandlerCallback handler,
    void *(*target)(void *, const char *, struct MHD_Connection *),
    size_t (*unescape)(void *, struct MHD_Connection *, char *),
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback notify, void *context) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME
        | MHD_USE_NO_LISTEN_SOCKET;
    // A pool of one is refused by the library: that is a daemon without a pool.
    unsigned int pool = settings->threads > 1 ? settings->threads : 0;
    // TLS 1.2 and 1.3 with forward secrecy and authenticated encryption.
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, settings->certificate},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, 
         "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:"
         "+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM"},
        {MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    if (settings->certificate) flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handler, context,
        MHD_OPTION_THREAD_POOL_SIZE, pool,
        MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_timeout,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
        MHD_OPTION_THREAD_STACK_SIZE, settings->thread_stack,
        MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, notify, context,
        MHD_OPTION_ARRAY, settings->certificate ? tls : none,
        MHD_OPTION_END);
}

// No chunks for this response: the connection closes after it.
static inline void stele_mhd_without_chunks(struct MHD_Response *response) {
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// In <sys/socket.h>, which is there already, only for those who ask for what is GNU's own.
extern int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

// The connection's socket, or -1.
static inline int stele_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

// What the notification of a connection's start has put there, or NULL.
static inline void *stele_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static inline const struct sockaddr *stele_mhd_client_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

// GnuTLS's session of a TLS connection, or NULL.
static inline void *stele_mhd_tls_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? info->tls_session : NULL;
}

// How many bytes the head of the request has: its line, its fields and the empty line.
static inline size_t stele_mhd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

static const uint64_t stele_mhd_size_unknown = MHD_SIZE_UNKNOWN;
static const ssize_t stele_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t stele_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;
