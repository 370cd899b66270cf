# Sourced. What a scenario has the host do to the connections of the server.
# shellcheck shell=bash disable=SC2154

# resets_start: until resets_stop, at random moments, all of the server's connections that carry NFS are closed with a TCP reset,
# which both ends see (`ss -K`, of the kernel that the server runs on). One line in $directory/resets for each.
resets_start() {
  : >"$directory/resets"
  start resets bash -c '
    while :; do
      sleep "0.$((RANDOM % 10))"
      sleep $((RANDOM % 3))
      ss -K -t -n -H state established "( sport = :20049 or sport = :2049 )" >>"$1/resets"
    done' resets "$directory"
  resets_id=$id
}

# resets_stop: prints how many connections it were
resets_stop() {
  stop "$resets_id" || true
  wc -l <"$directory/resets"
}
