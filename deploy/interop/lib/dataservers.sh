# Sourced. Data servers of pNFS for the scenarios `pnfs` and `fenced`: two more servers of the same export, with
# addresses of their own on the tap and the same handle-key, so that they know the server's handles. With $cluster they
# are a cluster with the server, and take nothing but layouts.
# shellcheck shell=bash disable=SC2154

dataserver_names='11 12'             # the last numbers of their addresses
declare -A dataserver_ids=()

# dataserver_arguments: prints the options of the server that name them
dataserver_arguments() {
  local name port=2049
  [ "$proto" != rdma ] || port=20049
  for name in $dataserver_names; do printf '%s\0' --data-server "$proto:10.8.0.$name:$port"; done
  printf '%s\0' --read-mirrors 2 --http 127.0.0.1:9001
}

# cluster_arguments NODE: prints the options of a server in the cluster, whose directory it makes
cluster_arguments() {
  mkdir -m 700 -p "$directory/cluster/blue"
  printf '%s\0' --cluster blue --node "$1" --cluster-directory "$directory/cluster"
}

# dataservers_start: starts them after the server, which has made the key
dataservers_start() {
  local name
  for name in $dataserver_names; do dataserver_start "$name" || return; done
}

# dataserver_start NAME: starts one and returns when it listens
dataserver_start() {
  local name=$1 state=$directory/state.$1 arguments=() exported=()
  dataserver_log=$directory/server.data.$name.log
  ip address replace "10.8.0.$name/24" dev "$server_interface"
  mkdir -p "$state"
  if [ -n "$cluster" ]; then
    mapfile -d '' -t arguments < <(cluster_arguments "data-$name")
  else
    [ -e "$state/handle-key" ] || install -m 600 "$directory/state/handle-key" "$state/handle-key"
  fi
  mapfile -d '' -t exported < <(export_arguments "no_root_squash${cluster:+,layouts_only}")
  start "data server $name" "${WARPNFS_LAB_PROGRAM:-$tree/warpnfs}" serve --listen "10.8.0.$name" --rdma-port 20049 --tcp-port 2049 \
    --state "$state" --crc "$crc" --http "127.0.0.1:90$name" "${exported[@]}" "${arguments[@]}" >>"$dataserver_log" 2>&1
  dataserver_ids[$name]=$id
  until_true 60 dataserver_says_ready "$name" && alive "$id" || { echo "data server $name did not get ready: $(tail -n 1 "$dataserver_log")"; return 1; }
}

dataserver_says_ready() { grep -q '^ready' "$dataserver_log" 2>/dev/null || ! alive "${dataserver_ids[$1]}"; }

dataserver_kill() { stop "${dataserver_ids[$1]}" KILL || true; }

# dataserver_moved NAME: prints how many READs and WRITEs it has executed; 01 is the server itself
dataserver_moved() {
  curl -s "http://127.0.0.1:90$1/metrics" |
    awk '/^warpnfs_(call|operation)_duration_seconds_count/ && /operation="(READ|WRITE|READ_PLUS)"/ { n += $2 } END { print n + 0 }'
}

# dataservers_used COUNT: prints what is wrong unless they have executed so many READs and WRITEs, and the server none
dataservers_used() {
  local sum rest
  sum=$(dataservers_moved)
  rest=$(dataserver_moved 01)
  [ "$sum" -ge "$1" ] || echo "the data servers have executed $sum READs and WRITEs, not $1"
  [ "$rest" = 0 ] || echo "the server has executed $rest itself"
}

# dataservers_moved: prints the same for all data servers together
dataservers_moved() {
  local name sum=0
  for name in $dataserver_names; do sum=$((sum + $(dataserver_moved "$name"))); done
  echo "$sum"
}

# dataservers_refused: prints how many WRITEs they have refused with ACCES
dataservers_refused() {
  local name
  for name in $dataserver_names; do curl -s "http://127.0.0.1:90$name/metrics"; done |
    awk '/^warpnfs_call_errors_total/ && /operation="WRITE"/ && /status="ACCES"/ { n += $2 } END { print n + 0 }'
}

# client_evict: evicts the client, the only one; prints what is wrong
client_evict() {
  local admin=$directory/state/admin.sock clients
  mapfile -t clients < <("${WARPNFS_LAB_PROGRAM:-$tree/warpnfs}" clients --admin "$admin" | awk 'NR > 1 { print $1 }')
  [ ${#clients[@]} = 1 ] || { echo "${#clients[@]} clients are there, not one"; return; }
  "${WARPNFS_LAB_PROGRAM:-$tree/warpnfs}" evict --admin "$admin" "${clients[0]}" >"$directory/evicted" 2>&1 || cat "$directory/evicted"
}

some_refused() { [ "$(dataservers_refused)" -gt 0 ]; }

# refused_late FILE: waits until the data servers refuse WRITEs; prints what is wrong if they never do, or if the file
# changes after the first
refused_late() {
  local file=$directory/export/$1 before
  until_true 30 some_refused || { echo 'no WRITE was refused'; return; }
  before=$(stat -c '%s bytes of %y' "$file")
  sleep 3
  [ "$(stat -c '%s bytes of %y' "$file")" = "$before" ] || echo "the file had $before, and then $(stat -c '%s bytes of %y' "$file")"
}

dataservers_stop() {
  local name
  for name in "${!dataserver_ids[@]}"; do stop "${dataserver_ids[$name]}" || true; done
  dataserver_ids=()
}
