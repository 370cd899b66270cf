# Sourced. Keeps the processes of a run by their ids. They end with the run, however it ends.
# shellcheck shell=bash

declare -A started=() # id -> what it is

# start WHAT COMMAND...: runs COMMAND in the background and sets $id to its id. If this shell is killed by SIGKILL,
# COMMAND is killed too.
start() {
  local what=$1
  shift
  setpriv --pdeathsig KILL "$@" &
  id=$!
  started[$id]=$what
}

alive() { [ -n "$1" ] && kill -0 "$1" 2>/dev/null; }

# stop ID [SIGNAL]: sends the signal and waits until the process has ended. Sends SIGKILL after ten seconds. Returns the
# status of the process.
stop() {
  local pid=$1 signal=${2:-TERM} tenth
  [ -n "${started[$pid]:-}" ] || return 0
  { # hides bash's message that it was killed
    kill -s "$signal" "$pid" || true
    for ((tenth = 0; tenth < 100; tenth++)); do
      alive "$pid" || break
      sleep 0.1
    done
    ended "$pid"
  } 2>/dev/null
}

# ended ID: returns the status of a process. If the process still runs, kills it.
ended() {
  local pid=$1 status=0
  {
    if alive "$pid"; then kill -s KILL "$pid" || true; fi
    wait "$pid" || status=$?
  } 2>/dev/null
  unset "started[$pid]"
  return $status
}

stop_all() {
  local pid
  for pid in "${!started[@]}"; do kill -s TERM "$pid" 2>/dev/null || true; done
  for pid in "${!started[@]}"; do stop "$pid" || true; done
}

# until_true SECONDS COMMAND...: polls COMMAND and returns whether it succeeded in time
until_true() {
  local tenths=$(($1 * 10))
  shift
  while ! "$@"; do
    [ $((tenths -= 1)) -gt 0 ] || return 1
    sleep 0.1
  done
}
