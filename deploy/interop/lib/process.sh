# Sourced. Processes a run starts are known by id here and end with it, whichever way it ends.
# shellcheck shell=bash

declare -A started=() # id -> what it is

# start WHAT COMMAND...: in the background, its id in $id. Should this shell die by SIGKILL, so does what it started.
start() {
  local what=$1
  shift
  setpriv --pdeathsig KILL "$@" &
  id=$!
  started[$id]=$what
}

alive() { [ -n "$1" ] && kill -0 "$1" 2>/dev/null; }

# stop ID [SIGNAL]: waits until it has ended, ten seconds at most before SIGKILL; its status
stop() {
  local pid=$1 signal=${2:-TERM} tenth
  [ -n "${started[$pid]:-}" ] || return 0
  { # where bash would say that it was killed
    kill -s "$signal" "$pid" || true
    for ((tenth = 0; tenth < 100; tenth++)); do
      alive "$pid" || break
      sleep 0.1
    done
    ended "$pid"
  } 2>/dev/null
}

# ended ID: takes the status of one that has ended or must end now
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

# until_true SECONDS COMMAND...: polls; whether it came true in time
until_true() {
  local tenths=$(($1 * 10))
  shift
  while ! "$@"; do
    [ $((tenths -= 1)) -gt 0 ] || return 1
    sleep 0.1
  done
}
