# Sourced. Checks the client's own counters and messages. The guest leaves mountstats and dmesg in its shared directory.
# shellcheck shell=bash

# The fields of a line of mountstats that starts with "xprt:", as awk counts them: (2) proto port bind (5) connects time
# idle (8) sends (9) receives (10) replies to no call ...; for rdma (13) read, write and reply chunks, (16) bytes,
# copies, (21) failed marshals, which include each wait for a memory region, (22) bad replies, (23) calls that were sent
# in a chunk as a whole (net/sunrpc/xprtrdma/transport.c).

# stats_transport FILE...: prints what is wrong with the transports of these mounts. After its server was killed, the
# client sends calls again. A call may go out twice on the new connection and be answered twice. The second reply then
# finds no call.
stats_transport() {
  awk 'function judge() {
      if (file == "") return
      if (!n) print "no transport is listed in " file
      if (unknown > again) print unknown " replies to no call, " again + 0 " calls sent again in " file
      if (bad) print bad " bad replies in " file
    }
    FILENAME != file { judge(); files++; file = FILENAME; n = unknown = again = bad = operations = 0 }
    $1 == "device" { operations = 0 }
    $1 == "xprt:" {
      n++
      if ($10 > unknown) unknown = $10 # each mount that shares a transport lists it
      if ($2 == "rdma" && $22 > bad) bad = $22
    }
    $1 == "per-op" { operations = 1; next }
    operations && $3 > $2 { again += $3 - $2 }
    END { judge(); if (files < ARGC - 1) print ARGC - 1 - files " empty files" }' "$@"
}

# stats_steady FILE...: checks that no connection was interrupted: no call was sent twice or timed out, and each
# transport connected once
stats_steady() {
  # TCP counts a connect when it begins and when it is established. It begins again if an earlier mount still uses the
  # port that it chose. So a connection that was established twice counts four.
  awk '$1 == "xprt:" && $5 > ($2 == "tcp" ? 3 : 1) { print "a transport connected " $5 " times" }
    $1 == "per-op" { operations = 1; next }
    $1 == "device" { operations = 0 }
    operations && $2 != $3 { print $1 " " $3 - $2 " sent again" }
    operations && $4 { print $1 " " $4 " timeouts" }' "$@"
}

# stats_chunks FILE...: checks that all three kinds of chunks were used
stats_chunks() {
  awk '$1 == "xprt:" && $2 == "rdma" { read += $13; write += $14; reply += $15 }
    END { if (!read) print "no Read chunk"; if (!write) print "no Write chunk"; if (!reply) print "no Reply chunk" }' "$@"
}

# stats_large DIRECTORY VERSION: checks that the scenarios with large messages, if they ran, used what they must
stats_large() {
  [ ! -e "$1/direct.mnt" ] || awk '$1 == "xprt:" { read += $13; write += $14 }
    END { if (!read || !write) print "direct: no Read or no Write chunk" }' "$1/direct.mnt"
  [ ! -e "$1/replies.mnt" ] || awk -v version="$2" '$1 == "xprt:" { reply += $15; long += $23 }
    END { if (!reply) print "replies: no Reply chunk"; if (version == "4.2" && !long) print "replies: no long call" }' "$1/replies.mnt"
  [ ! -e "$1/acl.mnt" ] || [ "${server:-}" = knfsd ] || awk '$1 == "device" { mine = $5 == "/mnt" } mine && $1 == "xprt:" { reply += $15; long += $23 }
    END { if (!reply) print "acl: no Reply chunk"; if (!long) print "acl: no long call" }' "$1/acl.mnt"
}

# Every kernel message about the layers under test is a complaint, except the messages of modules when they are loaded.
dmesg_greetings='[Cc]ommand line: |loading out-of-tree module|module verification failed|SoftiWARP attached|siw device registered|RPC: Registered |NFS: Registering the id_resolver|Key type |FS-Cache: |nfs4(flex)?filelayout_init|Installing knfsd|iscsi|sr_mod|LSM: initializing'
dmesg_subjects='siw|iwarp|rpcrdma|xprtrdma|rdma|infiniband|RPC|NFS|nfs|lockd|sunrpc|BUG|WARNING|Call Trace|Oops|hung|blocked for more|general protection|Out of memory|refcount'
# The kernel's messages when a server is gone and when it is back. They are expected if the scenario stops the server.
dmesg_of_restart='nfs: server [0-9.]* (not responding|OK)|NFS: .*state (manager|recovery) (reboot|.*grace)'

# A connection that the server has ended.
dmesg_of_terminate='siw: got TERMINATE'

# dmesg_complaints FILE [restart] [terminated]: the words say what is expected
dmesg_complaints() {
  grep -E "$dmesg_subjects" "$1" | grep -v -E "$dmesg_greetings" |
    if [[ " $* " = *' restart '* ]]; then grep -v -E "$dmesg_of_restart"; else cat; fi |
    if [[ " $* " = *' terminated '* ]]; then grep -v "$dmesg_of_terminate"; else cat; fi | head -n 5
  [ -s "$1" ] || echo 'dmesg is empty: the guest died'
}

# check_client SHARE PROTO VERSION SCENARIOS ALL: prints a line for each check
check_client() {
  local share=$1 proto=$2 version=$3 scenarios=$4 all=$5 steady=() stats file name gone=
  shopt -s nullglob
  stats=("$share"/stats/*)
  for file in "${stats[@]}"; do
    name=${file##*/}
    scenario_excuses "${name%%.*}" reconnects || steady+=("$file")
  done
  shopt -u nullglob
  if [ ${#stats[@]} = 0 ]; then
    verdict "the client's mountstats" 'there are none'
  else
    verdict "the client's mountstats: no bad reply" "$(stats_transport "${stats[@]}")"
    [ ${#steady[@]} = 0 ] || verdict "the client's mountstats: no reconnect, no call sent twice" "$(stats_steady "${steady[@]}")"
    [ "$proto$all" != rdmayes ] || verdict "the client's mountstats: Read, Write and Reply chunks used" "$(stats_chunks "${stats[@]}")"
  fi
  [[ "$proto $scenarios " != rdma*' '@(direct|replies|acl)' '* ]] ||
    verdict "the client's mountstats: large messages went by chunks" "$(stats_large "$share/stats" "$version")"
  # shellcheck disable=SC2086 # a list of words
  ! one_excuses server-gone $scenarios || gone=restart
  # shellcheck disable=SC2086 # a list of words
  ! one_excuses terminates $scenarios || gone+=' terminated'
  # shellcheck disable=SC2086 # words
  verdict "the client's dmesg has no complaint" "$(dmesg_complaints "$share/dmesg" $gone)"
}
