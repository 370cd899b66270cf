# Sourced. Runs the server under test: ./warpnfs of this tree, in the namespace of the run, beside the tap. All server
# files define the same functions. Their state is in $directory (of the run), $backend and $crc.
# shellcheck shell=bash disable=SC2154

server_id='' server_starts=0
ordinary_user=4000                   # nobody else's here
server_netns=()                      # options for netns
server_interface=tap0                # the interface to capture on
server_environment() { printf '%s\n' SERVER=10.8.0.1 EXPORT=/ MOUNTPORT=2049; }

# The stock siw never requests CRC, so the server's reply turns it on.
server_client_siw() { echo siw; }

# server_build TREE: builds the server while the network is available, before the run enters its namespace. Prints what
# is wrong. WARPNFS_LAB_PROGRAM is another program than the tree's.
server_build() {
  local program=${WARPNFS_LAB_PROGRAM:-$1/warpnfs}
  [ -x "$program" ] || { echo "there is no $program"; return 1; }
  "$program" --help >/dev/null || { echo "$program does not even say --help (see above)"; return 1; }
}

# export_arguments OPTIONS: prints the options that name the backend, and one export with these options
export_arguments() {
  case $backend in
    memory) printf '%s\0' --backend memory --export ":/,$1" ;;
    log) printf '%s\0' --backend log --plugins "$directory/plugins" --backend-option size-mib=400 --export "$directory/export:/,$1" ;;
    ceph) printf '%s\0' --backend ceph --ceph-conf "$directory/ceph/ceph.conf" --ceph-filesystem files --export "/:/,$1" ;;
    *) printf '%s\0' --export "$directory/export,$1" ;;
  esac
}

server_arguments() {
  printf '%s\0' serve --listen 10.8.0.1 --rdma-port 20049 --tcp-port 2049 --state "$directory/state" --crc "$crc"
  # Clients of version 4.0 and of NLM do not report the end of reclaim, so the whole grace period must pass after a
  # restart. It has to be longer than a client over RDMA waits between two attempts to connect, which is up to 20 s
  # after two that failed.
  case $version in
    4.0) printf '%s\0' --lease 25 ;;
    3) printf '%s\0' --lease 15 ;;
  esac
  # An ordinary user may not listen on that port.
  [ -n "${unprivileged:-}" ] || { [ "$version" != 3 ] && [ -z "${locks:-}" ]; } || printf '%s\0' --rpcbind serve:10.8.0.1:111 --mount-udp
  # Of version 4.0 and over TCP clients have the delegations that they get by default. So they have with Kerberos, where
  # one mount waits for the other's lock: a lock below a write delegation is known to the client's first mount alone.
  # In a cluster there are none.
  [[ $version/$proto != 4.[12]/rdma ]] || [ -n "${realm:-}${cluster:-}" ] || printf '%s\0' --delegations write
  [ -z "${certificates:-}" ] || printf '%s\0' --tls-certificate "$directory/tls/server.pem" --tls-key "$directory/tls/server.key" \
    --tls-client-ca "$directory/tls/ca.pem"
  [ -z "${realm:-}" ] || printf '%s\0' --keytab "$directory/krb/server/keytab" --principal nfs/server.lab@LAB.TEST \
    --id-map "$directory/users"
  if [ -e "$directory/exports" ]; then
    printf '%s\0' --exports "$directory/exports"
  else
    export_arguments "no_root_squash${dataservers:+,pnfs}"
  fi
  [ -z "${dataservers:-}" ] || dataserver_arguments
  [ -z "${cluster:-}" ] || cluster_arguments one
}

server_prepare() {
  mkdir -p "$directory/export" "$directory/state"
  [ -z "${unprivileged:-}" ] || chown $ordinary_user:$ordinary_user "$directory/export" "$directory/state"
  if [ "$backend" = log ]; then # the build of ./warpnfs makes it
    mkdir "$directory/plugins"
    cp "$tree"/examples/target/warpnfs-examples-*.jar "$directory/plugins/"
  fi
}

# server_exports [reloaded]: writes a file of exports(5) for the scenario `exports`, and makes the directories in it.
# The client has the address 10.8.0.2. No host has 192.0.2.1.
server_exports() {
  local top=$directory/export name
  mkdir -p "$top"/exp.{ro,squash,all,denied,reload,gone,away}
  chmod 1777 "$top"/exp.*
  echo given >"$top/exp.ro/given"
  {
    echo "$top 10.8.0.2(rw,no_root_squash,fsid=0)"
    echo "$top/exp.ro 10.8.0.2(ro,no_root_squash)"
    echo "$top/exp.squash 10.8.0.2(rw)"
    echo "$top/exp.denied 192.0.2.1(rw)"
    echo "$top/exp.reload 10.8.0.0/24(rw,no_root_squash)"
    echo "$top/exp.away 10.8.0.2(rw,refer=/exp.reload@10.8.0.1)"
    if [ "${1:-}" = reloaded ]; then
      echo "$top/exp.all 10.8.0.2(rw)"
    else
      echo "$top/exp.all *(rw,all_squash,anonuid=4242,anongid=4343)"
      echo "$top/exp.gone 10.8.0.2(rw,no_root_squash)"
    fi
  } >"$directory/exports"
}

# server_reload: changes the exports and waits until the server has read them; prints what is wrong
server_reload() {
  server_exports reloaded
  kill -s HUP "$server_id"
  until_true 30 grep -q 'exports read again: 2 changes' "$server_log" || echo "it says nothing of two changes: $(tail -n 2 "$server_log")"
}

# server_realm: prepares a server of Kerberos; sec=sys is not enough for it
server_realm() {
  chmod 1777 "$directory/export"
  printf '%s\n' '[Users]' 'user@LAB.TEST = 1000' 'other@LAB.TEST = 1001' >"$directory/users"
  echo "$directory/export *(rw,no_root_squash,fsid=0,sec=krb5:krb5i:krb5p)" >"$directory/exports"
}

# server_certificates: prepares a server of TLS, with one export that wants TLS and one that wants certificates
server_certificates() {
  local top=$directory/export
  mkdir -p "$top"/exp.{tls,mtls}
  {
    echo "$top *(rw,no_root_squash,fsid=0)"
    echo "$top/exp.tls *(rw,no_root_squash,xprtsec=tls:mtls)"
    echo "$top/exp.mtls *(rw,no_root_squash,xprtsec=mtls)"
  } >"$directory/exports"
  printf '%s\n' EXPORT_TLS=/exp.tls EXPORT_MTLS=/exp.mtls >>"$share/environment"
}

server_says_ready() { grep -q '^ready' "$server_log" 2>/dev/null || ! alive "$server_id"; }

# server_start: starts the server and returns when it listens. Each start has its own log, since the last line of a
# killed server may be incomplete.
server_start() {
  local arguments as=()
  [ -z "${unprivileged:-}" ] || as=(setpriv --reuid $ordinary_user --regid $ordinary_user --clear-groups --bounding-set=-all --inh-caps=-all)
  server_starts=$((server_starts + 1))
  server_log=$directory/server.$server_starts.log
  mapfile -d '' -t arguments < <(server_arguments)
  start server "${as[@]}" "${WARPNFS_LAB_PROGRAM:-$tree/warpnfs}" "${arguments[@]}" >"$server_log" 2>&1
  server_id=$id
  until_true 60 server_says_ready && alive "$server_id" || { echo "the server did not get ready: $(tail -n 1 "$server_log")"; return 1; }
}

# server_freeze SECONDS: stops the server's process for that time, while its kernel keeps the connections alive
server_freeze() {
  kill -s STOP "$server_id"
  sleep "$1"
  kill -s CONT "$server_id"
}

server_kill() { stop "$server_id" KILL || true; }

# server_stop: stops the server and prints what is wrong
server_stop() {
  local status=0
  alive "$server_id" || { echo "the server had ended by itself: $(tail -n 1 "$server_log")"; stop "$server_id" || true; return; }
  stop "$server_id" || status=$?
  [ $status = 0 ] || echo "status $status after SIGTERM"
}

# server_sums FILE: compares the client's sums with the exported files; prints what is wrong
server_sums() {
  (cd "$directory/export" && sha256sum --quiet --strict -c "$1" 2>&1) || true
}

# server_acls FILE: compares the lists that the client saw with those of the exported files; prints what is wrong
server_acls() {
  (cd "$directory/export" && sed -n 's/^# file: //p' "$1" | xargs getfacl -n | diff "$1" - | head -n 5) 2>&1 || true
}

# server_complaints: prints logged messages that are the server's own fault. When the server is told to stop, only a
# dead client can have a call in flight, and the server need not wait for that one.
server_complaints() {
  grep -h -n -m 3 -E '\bERROR\b|Exception in thread|OutOfMemoryError|LEAK|calls were still under way' "$directory"/server.*.log || true
}

server_clean() { rm -rf "$directory/export" "$directory/state" "$directory/cluster"; }
