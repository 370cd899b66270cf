# Sourced. The server under test: ./warpnfs of this tree, in the namespace of the run, beside the tap.
# Every server here has the same functions; their state is in $directory (of the run), $backend and $crc.
# shellcheck shell=bash disable=SC2154

server_id='' server_starts=0
server_netns=()                      # options of netns
server_interface=tap0                # where to capture
server_environment() { printf '%s\n' SERVER=10.8.0.1 EXPORT=/ MOUNTPORT=2049; }

# The stock siw never asks for CRC: the server's reply turns it on.
server_client_siw() { echo siw; }

# server_build TREE: on a machine with network, before the namespace closes it off. Prints what is wrong.
server_build() {
  [ -x "$1/warpnfs" ] || { echo "there is no $1/warpnfs"; return 1; }
  "$1/warpnfs" --help >/dev/null || { echo "$1/warpnfs does not even say --help (see above)"; return 1; }
}

server_arguments() {
  printf '%s\0' serve --listen 10.8.0.1 --rdma-port 20049 --tcp-port 2049 --state "$directory/state" --crc "$crc"
  # no client of version 4.0 says that it has reclaimed all: after a restart the grace period has to run its course
  [ "$version" != 4.0 ] || printf '%s\0' --lease 15
  [ "$version-$proto" != 3-tcp ] || printf '%s\0' --rpcbind serve:10.8.0.1:111 --mount-udp
  if [ -e "$directory/exports" ]; then
    printf '%s\0' --exports "$directory/exports"
  elif [ "$backend" = memory ]; then
    printf '%s\0' --backend memory --export ":/,no_root_squash"
  else
    printf '%s\0' --export "$directory/export,no_root_squash"
  fi
}

server_prepare() { mkdir -p "$directory/export" "$directory/state"; }

# server_exports [reloaded]: a file of exports(5) with what the scenario `exports` looks at, and the directories that it
# names. The client has 10.8.0.2; 192.0.2.1 is nobody.
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

# server_reload: it has read other exports; prints what is wrong
server_reload() {
  server_exports reloaded
  kill -s HUP "$server_id"
  until_true 30 grep -q 'exports read again: 2 changes' "$server_log" || echo "it says nothing of two changes: $(tail -n 2 "$server_log")"
}

server_says_ready() { grep -q '^ready' "$server_log" 2>/dev/null || ! alive "$server_id"; }

# server_start: returns when it listens. A log per start, since a killed server's last line may be half a line.
server_start() {
  local arguments
  server_starts=$((server_starts + 1))
  server_log=$directory/server.$server_starts.log
  mapfile -d '' -t arguments < <(server_arguments)
  start server "$tree/warpnfs" "${arguments[@]}" >"$server_log" 2>&1
  server_id=$id
  until_true 60 server_says_ready && alive "$server_id" || { echo "the server did not get ready: $(tail -n 1 "$server_log")"; return 1; }
}

# server_freeze SECONDS: it stands still, and its kernel goes on for it
server_freeze() {
  kill -s STOP "$server_id"
  sleep "$1"
  kill -s CONT "$server_id"
}

server_kill() { stop "$server_id" KILL || true; }

# server_stop: prints what is wrong
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

# server_complaints: what it logged that is its own fault. No client here has a call under way when the server is told
# to stop, but one that is dead, for which it need not wait.
server_complaints() {
  grep -h -n -m 3 -E '\bERROR\b|Exception in thread|OutOfMemoryError|LEAK|calls were still under way' "$directory"/server.*.log || true
}

server_clean() { rm -rf "$directory/export" "$directory/state"; }
