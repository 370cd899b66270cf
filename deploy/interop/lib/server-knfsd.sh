# Sourced. Runs the reference server, knfsd, in a second guest. A check that knfsd fails proves nothing about warpnfs.
# shellcheck shell=bash disable=SC2154

server_id='' server_starts=0
server_netns=(-b)
server_interface=tap0
server_environment() {
  printf '%s\n' SERVER=10.8.0.3 MOUNTPORT=20048 MOUNT_TRIES=3 EXPORT_3=/srv/export LIST_USERS=250
  if [ "$version" = 3 ]; then echo EXPORT=/srv/export; else echo EXPORT=/; fi
}

# A responding siw turns CRC on only if the initiator requests it, so here the client requires it.
server_client_siw() { if [ "$crc" = off ]; then echo siw; else echo siw_switched:mpa_crc_required=1; fi; }

server_build() { :; }

server_prepare() {
  mkdir -p "$directory/server"
  # knfsd gives a read delegation to one mount although the other has the file open to write, since both are one client
  # to it. Linux then answers F_GETLK at the first mount by itself and takes read locks there alone.
  [[ " ${chosen[*]} " != *' locks '* ]] || touch "$directory/server/no-leases"
  truncate -s 1G "$directory/disk"
  mke2fs -q -F -t ext4 "$directory/disk"
}

# The knfsd of 6.1 does not understand what its own client sends with krb5p, so a newer one is the server here.
server_realm() { cp -r "$directory/krb/server" "$directory/server/krb"; }

# Debian 12's exportfs has no xprtsec, so the kernel's own server takes each way everywhere; it asks for certificates
# and refuses bad ones. Its kernel has to be a newer one.
server_certificates() {
  cp "$here/guest/tlshd" "$directory/server/"
  tls_share "$directory/server"
}

server_start() {
  local answer=''
  server_starts=$((server_starts + 1))
  server_log=$directory/server.$server_starts.log
  rm -f "$directory/server/control.out" # left by the guest that was killed
  cp "$here/guest/knfsd" "$directory/server/"
  start server "$here/boot" -k "$([ -z "${realm:-}${certificates:-}" ] && echo 6.1 || echo "$newer_kernel")" -c -d "$directory/server" -n tap1,52:54:00:00:00:03 -a 10.8.0.3/24 -u "$mtu" -b "$directory/disk" \
    -t 1800 /share/knfsd "$([ $server_starts = 1 ] || echo again)" >"$server_log" 2>&1
  server_id=$id
  until_true 10 test -p "$directory/server/control.out" || { echo 'no second guest'; return 1; }
  exec {server_port}<>"$directory/server/control.out"
  until IFS= read -r -t 1 answer <&"$server_port" || ! alive "$server_id"; do :; done
  [ "$answer" = ready ] || { cat "$directory/server/output"; echo 'knfsd did not start'; return 1; }
}

# This is like a power failure: whatever the guest had not written to its disk is lost.
server_kill() {
  exec {server_port}>&-
  stop "$server_id" || true
}

server_ask() { # server_ask REQUEST: prints the answer
  local answer=''
  echo "$1" >"$directory/server/control.in"
  IFS= read -r -t 60 answer <&"$server_port" || true
  [ "$answer" = done ] || echo "${answer:-no answer}"
}

server_stop() {
  local tenth
  echo stop >"$directory/server/control.in"
  for ((tenth = 0; tenth < 100; tenth++)); do alive "$server_id" || break; sleep 0.1; done
  exec {server_port}>&-
  stop "$server_id" || echo "the second guest ended with status $?"
}

server_sums() {
  cp "$1" "$directory/server/sums"
  server_ask sums
}

server_acls() {
  cp "$1" "$directory/server/acls"
  server_ask acls
}

server_complaints() { :; }

server_clean() { rm -f "$directory/disk"; }
