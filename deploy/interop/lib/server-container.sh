# Sourced. Runs the server under test in the container image. $container_way is one of the ways in docs/operate.md.
#   as-it-is         an ordinary user without a capability
#   user-namespace   the same, and the container's root is an unprivileged user of the host
#   with-handles     with DAC_READ_SEARCH, so that file handles are the kernel's
# All other functions are those of lib/server-warpnfs.sh.
# shellcheck shell=bash disable=SC2154

container_image=''

server_prepare() {
  local owner=$image_user
  [ "$container_way" != user-namespace ] || owner=$((100000 + image_user))
  mkdir -p "$directory/export" "$directory/state"
  chown "$owner:$owner" "$directory/export" "$directory/state"
  chmod 1777 "$directory/export"
  [ -z "$container_image" ] || return 0
  container_store=$(mktemp -d)
  chmod 755 "$container_store"
  image_engine "$container_store"
  container_image=$(image_build "$tree" 2>"$directory/image.log" | tail -n 1) || container_image=''
}

server_start() {
  local options=()
  [ -n "$container_image" ] || { echo "the image cannot be built: $(tail -n 1 "$directory/image.log")"; return 1; }
  case $container_way in
    user-namespace) options=(--uidmap 0:100000:65536 --gidmap 0:100000:65536) ;;
    with-handles) options=(--cap-add DAC_READ_SEARCH) ;;
  esac
  server_starts=$((server_starts + 1))
  server_log=$directory/server.$server_starts.log
  : >"$server_log"
  # image_run is a function, and start runs programs
  image_run "$directory/export" "$directory/state" "${options[@]}" -- serve --listen 10.8.0.1 --export /export,no_root_squash \
    --state /state --payload-memory 64m --http 127.0.0.1:9049 >"$server_log" 2>&1 &
  server_id=$!
  started[$server_id]=server
  until_true 60 server_says_ready && alive "$server_id" || { echo "the server did not get ready: $(tail -n 1 "$server_log")"; return 1; }
}

server_kill() {
  image_kill || true
  until_true 10 server_gone || true
  ended "$server_id" || true
}

server_gone() { ! alive "$server_id"; }

# container_end: removes the stored images and containers
container_end() {
  image_remove
  [ -z "${container_store:-}" ] || rm -rf "$container_store"
  container_store=''
}
