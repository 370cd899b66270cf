# Sourced by run. Kills a guest in the middle of I/O, like a machine that loses power. Its connections are not closed.
# shellcheck shell=bash disable=SC2154

guest_killed=''

# qemu_of ID: prints the id of that boot's emulator, the child of its child `timeout`
qemu_of() { pgrep -P "$(pgrep -d , -P "$1")" -f '^qemu-system'; }

# unsent: whether the server has data to send or data that the client's kernel has not acknowledged
unsent() { ss -t -n -H state established '( sport = :20049 or sport = :2049 )' | awk '$2 > 0 { n++ } END { exit !n }'; }

# guest_kill: kills the guest at a moment when the server waits for it. It stops the guest, checks for such a moment,
# and tries again if there is none. Returns whether it found one.
guest_kill() {
  local qemu try found=''
  qemu=$(qemu_of "$client_id") || return
  for ((try = 0; try < 100; try++)); do
    kill -s STOP "$qemu"
    sleep 0.2 # packets in flight arrive
    if unsent; then found=yes; break; fi
    kill -s CONT "$qemu"
    sleep 0.1
  done
  guest_killed=yes
  { # hides bash's message that it was killed
    kill -s KILL "$client_id" # this ends the emulator too
    wait "$client_id" || true
  } 2>/dev/null
  [ -n "$found" ]
}
